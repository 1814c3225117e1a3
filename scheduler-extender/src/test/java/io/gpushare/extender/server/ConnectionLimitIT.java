package io.gpushare.extender.server;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.Authority;
import io.gpushare.extender.running.RawHttp;
import io.gpushare.extender.running.RunningExtender;
import io.gpushare.extender.running.TestApiServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ten thousand idle connections: the longest idle ones are closed for new ones, and everybody is served. */
class ConnectionLimitIT {
    private static final int IDLE = 10_000;
    // Longer than it takes to open all of them on any machine: what is closed is closed by the limit.
    private static final Deadlines DEADLINES = new Deadlines(
            Duration.ofMinutes(15), Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(150));

    @TempDir
    private Path folder;

    private TestApiServer api;

    @BeforeEach
    void start() throws Exception {
        api = new TestApiServer();
    }

    @AfterEach
    void stop() {
        api.close();
    }

    @Test
    void idleConnectionsAreLimited() throws Exception {
        assertLimited(null, null);
    }

    /** They are limited before the TLS handshake. */
    @Test
    void idleConnectionsAreLimitedWithTls() throws Exception {
        Authority authority = new Authority("authority");
        authority.server("server");
        assertLimited(
                new TlsFiles(
                        Files.writeString(folder.resolve("tls.crt"), authority.certificate("server")),
                        Files.writeString(folder.resolve("tls.key"), authority.key("server")),
                        null),
                authority.caller(null, ""));
    }

    private void assertLimited(@Nullable TlsFiles tls, @Nullable SSLContext caller) throws Exception {
        List<Socket> idle = new ArrayList<>();
        try (RunningExtender extender = new RunningExtender(
                        api.kubeconfig(folder),
                        new ExtenderServer.Settings(
                                "127.0.0.1", 0, null, 1 << 20, "0.0.0-test", tls, Duration.ofSeconds(10), DEADLINES),
                        caller)
                .ready()) {
            try {
                for (int i = 0; i < IDLE; i++) {
                    idle.add(new Socket(InetAddress.getLoopbackAddress(), extender.port()));
                }
                await().until(() -> closed(idle.getFirst()));
                assertThat(extender.get("/healthz").statusCode()).isEqualTo(200);
                assertThat(exceeding(extender)).isBetween(IDLE - ExtenderServer.CONNECTIONS, IDLE);
            } finally {
                for (Socket socket : idle) {
                    socket.close();
                }
            }
            await().until(() -> !closed(new Socket(InetAddress.getLoopbackAddress(), extender.port())));
        }
    }

    /** One caller has all connections, each after a request, and may keep them for minutes. */
    @Test
    void aProbeIsServedBesideACallerThatKeepsAllConnections() throws Exception {
        List<RawHttp> kept = new ArrayList<>();
        try (RunningExtender extender = new RunningExtender(api.kubeconfig(folder), 1 << 20).ready()) {
            try {
                for (int i = 0; i < ExtenderServer.CONNECTIONS; i++) {
                    kept.add(new RawHttp(extender.port()));
                    assertThat(kept.getLast()
                                    .exchange("GET", "/healthz", new byte[0])
                                    .status())
                            .isEqualTo(200);
                }
                for (int i = 0; i < 20; i++) {
                    try (RawHttp probe = new RawHttp(extender.port())) {
                        assertThat(probe.exchange("GET", "/healthz", new byte[0])
                                        .status())
                                .isEqualTo(200);
                    }
                }
            } finally {
                for (RawHttp connection : kept) {
                    connection.close();
                }
            }
        }
    }

    private static int exceeding(RunningExtender extender) throws IOException, InterruptedException {
        return extender.get("/metrics")
                .body()
                .lines()
                .filter(line -> line.contains("reason=\"too_many_connections\""))
                .mapToInt(line -> (int) Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    /** Whether the server has closed the connection, on which it never sends anything. */
    private static boolean closed(Socket socket) throws IOException {
        socket.setSoTimeout(200);
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException e) {
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }
}
