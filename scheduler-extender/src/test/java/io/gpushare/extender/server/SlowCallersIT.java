package io.gpushare.extender.server;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.RunningExtender;
import io.gpushare.extender.running.TestApiServer;
import io.gpushare.simulated.patience.Patience;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections of callers that are slow in any step, or send too much, are closed. */
class SlowCallersIT {
    private static final int MAX_BODY = 32 << 20;
    private static final Deadlines SHORT = new Deadlines(
            Patience.of(Duration.ofMillis(500)),
            Patience.of(Duration.ofSeconds(4)),
            Patience.of(Duration.ofMillis(700)),
            // Vert.x closes what is idle for twice as long, also while a response is made.
            Patience.of(Duration.ofMillis(1500)));
    private static final String POST = "POST /gpushare-scheduler/filter HTTP/1.1\r\nHost: x\r\n";
    private static final String HEALTHZ = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

    @TempDir
    private Path folder;

    private TestApiServer api;
    private RunningExtender extender;

    @BeforeEach
    void start() throws Exception {
        api = new TestApiServer();
        extender = new RunningExtender(
                        api.kubeconfig(folder),
                        new ExtenderServer.Settings(
                                "127.0.0.1", 0, null, MAX_BODY, "0.0.0-test", null, Duration.ofSeconds(1), SHORT),
                        null)
                .ready();
    }

    @AfterEach
    void stop() throws Exception {
        assertThat(extender.get("/healthz").statusCode()).isEqualTo(200);
        extender.close();
        api.close();
    }

    @Test
    void aCallerThatSendsNothingIsCutOff() throws Exception {
        assertThat(answered("")).isEmpty();
    }

    @Test
    void slowHeadersAreCutOff() throws Exception {
        assertThat(trickled("GET /healthz HTTP/1.1\r\n", "X-Slow: 1\r\n")).isEmpty();
        assertThat(slow()).isPositive();
    }

    @Test
    void aSlowBodyIsCutOff() throws Exception {
        assertThat(trickled(POST + "Content-Length: 100000\r\n\r\n", " ")).isEmpty();
    }

    @Test
    void aSlowNextRequestIsCutOff() throws Exception {
        assertThat(trickled(HEALTHZ, "GET /healthz HTTP/1.1\r\n", "X-Slow: 1\r\n"))
                .startsWith("HTTP/1.1 200")
                .doesNotContain("HTTP/1.1 4");
    }

    @Test
    void anUnusedConnectionIsCutOffLater() throws Exception {
        assertThat(answered(HEALTHZ + HEALTHZ).split("HTTP/1.1 200", -1)).hasSize(3);
    }

    @Test
    void aCallerThatDoesNotReadTheResponseIsCutOff() throws Exception {
        // Larger than the buffers of the connection.
        byte[] body = filter("n", 60_000).getBytes(StandardCharsets.UTF_8);
        long before = slow();
        try (Socket socket = new Socket()) {
            socket.setReceiveBufferSize(4096);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), extender.port()));
            socket.setSoTimeout(Patience.millis());
            socket.getOutputStream()
                    .write((POST + "Content-Length: " + body.length + "\r\n\r\n").getBytes(StandardCharsets.UTF_8));
            socket.getOutputStream().write(body);
            await(Duration.ofSeconds(60)).until(() -> slow() > before);
            // Most of the response still waits in the extender and is dropped too.
            LockSupport.parkNanos(SHORT.next().multipliedBy(3).toNanos());
            assertThat(tail(socket)).doesNotEndWith("}");
        }
    }

    /** Memory for responses is reused, but not before it is written. */
    @Test
    void aResponseThatWaitsIsNotChangedByOthers() throws Exception {
        String body = filter("n", 20_000);
        String answer = extender.post("filter", body).body();
        assertThat(answer).hasSizeGreaterThan(8 << 20);
        String other = filter("m", 2_000);
        for (int i = 0; i < 4; i++) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), extender.port())) {
                socket.setSoTimeout(Patience.millis());
                socket.getOutputStream()
                        .write((POST.replace("1.1", "1.0") + "Content-Length: " + body.length() + "\r\n\r\n" + body)
                                .getBytes(StandardCharsets.UTF_8));
                assertThat(socket.getInputStream().read()).isEqualTo('H');
                for (int j = 0; j < 4; j++) {
                    assertThat(extender.post("filter", other).body()).doesNotContain("nn");
                }
                String came = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(came.substring(came.indexOf("\r\n\r\n") + 4).equals(answer))
                        .isTrue();
            }
        }
    }

    /** A request with that many nodes with long names. */
    private static String filter(String name, int count) {
        String names = IntStream.range(0, count)
                .mapToObj(i -> "\"" + name.repeat(200) + i + "\"")
                .collect(Collectors.joining(","));
        return "{\"Pod\":{\"spec\":{\"containers\":[{\"resources\":{\"limits\":{\"aliyun.com/gpu-mem\":\"3\"}}}]}},"
                + "\"NodeNames\":[" + names + "]}";
    }

    /** The last bytes until the server closes. */
    private static String tail(Socket socket) throws IOException {
        byte[] some = new byte[1 << 16];
        String last = "";
        try {
            for (int count = socket.getInputStream().read(some);
                    count > 0;
                    count = socket.getInputStream().read(some)) {
                last = new String(some, 0, count, StandardCharsets.UTF_8).strip();
                last = last.endsWith("\r\n0") ? last.substring(0, last.length() - 3) : last;
            }
        } catch (SocketException e) {
            return "reset: " + e.getMessage();
        }
        return last;
    }

    @Test
    void headersAndRequestLinesAreLimited() throws Exception {
        assertThat(answered("GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: " + "x".repeat(9000) + "\r\n\r\n"))
                .startsWith("HTTP/1.1 431");
        assertThat(answered("GET /" + "x".repeat(5000) + " HTTP/1.1\r\nHost: x\r\n\r\n"))
                .startsWith("HTTP/1.0 414"); // the version was not read
        assertThat(answered(POST + "Content-Length: minus\r\n\r\n")).startsWith("HTTP/1.1 400");
        assertThat(answered(POST + "Content-Length: 99999999999\r\n\r\n"))
                .startsWith("HTTP/1.1 413")
                .contains("larger than " + MAX_BODY + " bytes");
        assertThat(answered("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")).doesNotContain("200 OK");
    }

    @Test
    void bodiesBeyondTheSharedBudgetAreRefusedUntilItIsFree() throws Exception {
        byte[] most = " ".repeat(24 << 20).getBytes(StandardCharsets.US_ASCII);
        try (Socket first = new Socket(InetAddress.getLoopbackAddress(), extender.port())) {
            first.getOutputStream()
                    .write((POST + "Content-Length: " + (most.length + 1) + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            first.getOutputStream().write(most);
            assertThat(failures("too_many")).isZero();
            assertThat(largePost()).matches("503 .*other large requests are being read; try again.*|cut off");
            assertThat(failures("too_many")).isEqualTo(1);
        }
        await().until(() -> largePost().contains("the request body is not a JSON object"));
    }

    /** An announced body counts from its first byte. */
    @Test
    void announcedBodiesCountToo() throws Exception {
        List<Socket> begun = new ArrayList<>();
        try {
            for (int i = 0; i < 100; i++) {
                begun.add(new Socket(InetAddress.getLoopbackAddress(), extender.port()));
                begun.getLast()
                        .getOutputStream()
                        .write((POST + "Content-Length: 1000000\r\n\r\n{").getBytes(StandardCharsets.US_ASCII));
            }
            await().until(() -> failures("too_many") > 0);
        } finally {
            for (Socket each : begun) {
                each.close();
            }
        }
        await().until(() -> largePost().contains("the request body is not a JSON object"));
    }

    /** Status and body. */
    private String largePost() throws IOException, InterruptedException {
        try {
            HttpResponse<String> answer = extender.post("filter", " ".repeat(24 << 20) + "1");
            return answer.statusCode() + " " + answer.body();
        } catch (IOException e) {
            // The server closes before everything is sent, and this client does not always see the response.
            return "cut off";
        }
    }

    private long slow() throws IOException, InterruptedException {
        return failures("slow");
    }

    private long failures(String reason) throws IOException, InterruptedException {
        return extender.get("/metrics")
                .body()
                .lines()
                .filter(line -> line.contains("reason=\"" + reason + "\""))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    /** The response until the server closes. */
    private String answered(String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), extender.port())) {
            socket.setSoTimeout(Patience.millis());
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    /** Repeats the last piece until the server closes; returns the response. */
    private String trickled(String... pieces) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), extender.port())) {
            socket.setSoTimeout(Patience.millis());
            StringBuilder came = new StringBuilder();
            long end = System.nanoTime() + Patience.of(Patience.USUAL).toNanos();
            int next = 0;
            while (System.nanoTime() < end) {
                try {
                    String piece = pieces[Math.min(next++, pieces.length - 1)];
                    socket.getOutputStream().write(piece.getBytes(StandardCharsets.US_ASCII));
                    while (socket.getInputStream().available() > 0) {
                        came.append((char) socket.getInputStream().read());
                    }
                } catch (IOException e) {
                    return came.toString(); // cut off
                }
                LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            }
            throw new AssertionError("the connection is open however long it trickles");
        }
    }
}
