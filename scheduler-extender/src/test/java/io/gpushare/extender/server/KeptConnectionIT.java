package io.gpushare.extender.server;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.Candidacy;
import io.gpushare.extender.running.RawHttp;
import io.gpushare.extender.running.RunningExtender;
import io.gpushare.extender.running.TestApiServer;
import io.gpushare.simulated.network.TcpRelay;
import io.gpushare.simulated.patience.Patience;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * kube-scheduler keeps its connections, and a connection through kube-proxy's NodePort stays with one extender: an
 * extender that can't serve requests closes them, so that the next request reaches the leader.
 */
class KeptConnectionIT {
    private static final byte[] FILTER = """
        {"Pod":{"metadata":{"name":"p","namespace":"default","uid":"uid-p"},"spec":{"containers":[{"name":"main",
         "resources":{"limits":{"aliyun.com/gpu-mem":"3"}}}]}},"NodeNames":["n1"]}\
        """.getBytes(StandardCharsets.UTF_8);

    @TempDir
    Path folder;

    private TestApiServer api;

    @BeforeEach
    void start() throws Exception {
        api = new TestApiServer();
        api.node("n1", TestApiServer.TWO_T4);
        api.pod("p", "uid-p", new JsonObject().put("aliyun.com/gpu-mem", "3"));
    }

    @AfterEach
    void stop() {
        api.close();
    }

    @Test
    void eachAnswerOfAnExtenderThatIsNotReadyEndsItsConnection() throws Exception {
        try (RunningExtender first = extender(api.kubeconfig(folder), "first").ready();
                RunningExtender second = extender(api.kubeconfig(folder), "second")) {
            assertThat(api.leader()).startsWith("first");
            for (String verb : List.of("filter", "prioritize", "preempt", "bind")) {
                assertThat(answered(second, "POST /gpushare-scheduler/" + verb))
                        .contains("not the leader")
                        .containsIgnoringCase("connection: close");
            }
            assertThat(answered(second, "GET /gpushare-scheduler/v1/nodes")).containsIgnoringCase("connection: close");
            try (RawHttp kept = new RawHttp(first.port())) {
                assertThat(filter(kept)).isEmpty();
                assertThat(kept.closed()).isFalse();
            }
        }
    }

    @Test
    void aLeaderThatIsDeposedClosesItsIdleConnections() throws Exception {
        try (RunningExtender first = extender(api.kubeconfig(folder), "first").ready();
                Socket kept = new Socket(InetAddress.getLoopbackAddress(), first.port())) {
            get(kept, "/healthz");
            api.depose();
            assertThat(read(kept)).startsWith("HTTP/1.1 200").endsWith("ok\n");
        }
    }

    /** The request may be on its way when the extender is deposed. */
    @Test
    void aLeaderThatIsDeposedAnswersTheFirstRequestOfANewConnection() throws Exception {
        try (RunningExtender first = extender(api.kubeconfig(folder), "first").ready();
                Socket fresh = new Socket(InetAddress.getLoopbackAddress(), first.port());
                Socket kept = new Socket(InetAddress.getLoopbackAddress(), first.port())) {
            get(kept, "/healthz");
            api.depose();
            // Idle connections are closed together.
            assertThat(read(kept)).endsWith("ok\n");
            get(fresh, "/readyz");
            assertThat(read(fresh)).startsWith("HTTP/1.1 503").containsIgnoringCase("connection: close");
        }
    }

    private static void get(Socket socket, String path) throws IOException {
        socket.setSoTimeout(Patience.millis());
        socket.getOutputStream()
                .write(("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n").getBytes(StandardCharsets.UTF_8));
    }

    /** All bytes that come until the server closes. */
    private static String read(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void aKeptConnectionReachesTheNextLeaderWhenTheFirstIsPartitionedFromTheApiServer() throws Exception {
        try (TcpRelay apiOfFirst = TcpRelay.start(() -> OptionalInt.of(api.port()));
                RunningExtender first = extender(api.kubeconfig(folder, apiOfFirst.port()), "first")
                        .ready();
                RunningExtender second = extender(api.kubeconfig(folder), "second");
                TcpRelay nodePort = TcpRelay.start(() -> ready(first, second));
                RawHttp scheduler = new RawHttp(nodePort.port())) {
            assertThat(filter(scheduler)).isEmpty();
            apiOfFirst.stall(true);
            int[] refused = {0};
            await(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(100)).until(() -> {
                String error = filter(scheduler);
                refused[0] += error.contains("not the leader") ? 1 : 0;
                return error.isEmpty() && api.leader().startsWith("second");
            });
            assertThat(refused[0]).as("answers 'not the leader'").isLessThanOrEqualTo(1);
            assertThat(nodePort.connections()).isEqualTo(2);
            apiOfFirst.stall(false);
        }
    }

    /** The Error of the answer; a sentence if there is none. */
    private static String filter(RawHttp scheduler) throws IOException {
        try {
            String body = scheduler
                    .exchange("POST", "/gpushare-scheduler/filter", FILTER)
                    .body();
            return new JsonObject(body).getString("Error", "");
        } catch (IOException e) {
            scheduler.reconnect();
            return "no answer: " + e.getMessage();
        }
    }

    /** The backend that kube-proxy chooses: a ready one. */
    private static OptionalInt ready(RunningExtender... extenders) {
        return Stream.of(extenders)
                .filter(extender -> extender.leadership.unready().isEmpty())
                .mapToInt(RunningExtender::port)
                .findFirst();
    }

    private static String answered(RunningExtender extender, String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), extender.port())) {
            socket.setSoTimeout(Patience.millis());
            socket.getOutputStream()
                    .write((request + " HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")
                            .getBytes(StandardCharsets.UTF_8));
            return read(socket);
        }
    }

    private static RunningExtender extender(Path kubeconfig, String name) throws IOException {
        return new RunningExtender(kubeconfig, 1 << 20, new Candidacy("kube-system", "extender", name, null));
    }
}
