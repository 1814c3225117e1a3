package io.gpushare.insight;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.insight.running.TestApiServer;
import io.gpushare.insight.running.TestApiServer.Fault;
import io.gpushare.simulated.patience.Patience;
import io.vertx.core.json.JsonObject;
import java.io.File;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packaged program in its own process. */
class ProgramIT {
    private static final Pattern LISTENING = Pattern.compile("listening on 127.0.0.1 port ([0-9]+)");
    private static final Path TARGET =
            Path.of(System.getProperty("gpushare.root"), "scheduler-extender", "insight", "target");

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
    void sigtermFinishesABindInFlightAndExitsWith0() throws Exception {
        Process program = program("--port=0", "--bind-address=127.0.0.1", "--kubeconfig=" + api.kubeconfig(folder));
        try (HttpClient client = HttpClient.newHttpClient()) {
            await(Duration.ofSeconds(60)).until(() -> LISTENING.matcher(log()).find());
            Matcher port = LISTENING.matcher(log());
            assertThat(port.find()).isTrue();
            URI base = URI.create("http://127.0.0.1:" + port.group(1));
            await().until(() -> client.send(
                                    HttpRequest.newBuilder(base.resolve("/readyz"))
                                            .build(),
                                    HttpResponse.BodyHandlers.ofString())
                            .statusCode()
                    == 200);
            api.next(Fault.HELD);
            CompletableFuture<HttpResponse<String>> bind = client.sendAsync(
                    HttpRequest.newBuilder(base.resolve("/gpushare-scheduler/bind"))
                            .POST(HttpRequest.BodyPublishers.ofString(
                                    "{\"PodName\":\"p\",\"PodNamespace\":\"default\",\"PodUID\":\"uid-p\","
                                            + "\"Node\":\"n1\"}"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            await().until(() -> api.waiting() == 1);
            program.toHandle().destroy(); // SIGTERM
            await().until(() -> log().contains("shutting down"));
            api.release();
            assertThat(Patience.result(bind).body()).isEqualTo("{\"Error\":\"\"}");
            assertThat(Patience.exitCode(program)).isZero();
            assertThat(log())
                    .contains("--memory-resource=aliyun.com/gpu-mem", "--lease-name=named", "bound to node n1");
        } finally {
            program.destroyForcibly();
        }
    }

    @Test
    void aPodThatGaveTheLeaseBackRefusesConnectionsForSomeSeconds() throws Exception {
        Process program = program(
                "--port=0",
                "--bind-address=127.0.0.1",
                "--kubeconfig=" + api.kubeconfig(folder),
                "--leader-elect",
                "--pod-name=extender-a");
        try {
            await(Duration.ofSeconds(60))
                    .until(() -> log().contains("leading as")
                            && LISTENING.matcher(log()).find());
            Matcher port = LISTENING.matcher(log());
            assertThat(port.find()).isTrue();
            program.toHandle().destroy(); // SIGTERM
            await().until(() -> log().contains("the lease has been given back"));
            await().until(() -> log().contains("stopped"));
            assertThat(api.leader()).isEmpty();
            long stopped = System.nanoTime();
            assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(port.group(1))))
                    .isInstanceOf(ConnectException.class);
            assertThat(program.isAlive()).as("the process keeps its address").isTrue();
            assertThat(Patience.exitCode(program)).isZero();
            assertThat(Duration.ofNanos(System.nanoTime() - stopped)).isGreaterThan(Duration.ofSeconds(2));
        } finally {
            program.destroyForcibly();
        }
    }

    @Test
    void aHugeAnnotationWithNewlinesIsOneLineOfTheLogAndAnAcceptedEvent() throws Exception {
        String forged = "2026-01-01T00:00:00.000Z INFO  Ledger - forged";
        api.boundByOther(
                "p",
                "n1",
                Map.of(
                        "gpushare.io/allocation",
                        "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\",\"role\":\"x\\n" + forged
                                + "é".repeat(12_000) + "\",\"memory\":{}}]}"));
        Process program = program("--port=0", "--bind-address=127.0.0.1", "--kubeconfig=" + api.kubeconfig(folder));
        try {
            await(Duration.ofSeconds(60)).until(() -> !api.recordedEvents().isEmpty());
            assertThat(api.recordedEvents().getFirst())
                    .contains("GpuAllocationDisbelieved", "'role' is init or sidecar", "recreate the pod");
            assertThat(log()).contains("'role' is init or sidecar").hasSizeLessThan(20_000);
            assertThat(log().lines()).noneMatch(line -> line.startsWith(forged));
        } finally {
            program.destroyForcibly();
        }
    }

    @Test
    void invalidOptionsAreReportedTogetherWithExitCode2() throws Exception {
        Process program = program("--colour=red", "--port=x");
        assertThat(Patience.exitCode(program)).isEqualTo(2);
        assertThat(log()).contains("Unknown option: '--colour=red'", "'x' is not a port");
    }

    @Test
    void outsideAClusterAKubeconfigIsRequired() throws Exception {
        Process program = program("--port=0");
        assertThat(Patience.exitCode(program)).isEqualTo(1);
        assertThat(log()).contains("name a file with --kubeconfig");
    }

    private Process program(String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                TARGET.resolve("lib") + "/*" + File.pathSeparator + jar(),
                "io.gpushare.insight.ExtenderMain"));
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile());
        builder.environment()
                .keySet()
                .removeAll(
                        List.of("KUBECONFIG", "PORT", "BIND_ADDRESS", "KUBERNETES_SERVICE_HOST", "JAVA_TOOL_OPTIONS"));
        builder.environment().put("GPUSHARE_LEASE_NAME", "named");
        // A Service's link does not stop the start.
        builder.environment().put("GPUSHARE_SCHD_EXTENDER_SERVICE_HOST", "10.0.0.1");
        return builder.start();
    }

    private static Path jar() throws IOException {
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(TARGET, "scheduler-extender-insight-*.jar")) {
            return jars.iterator().next();
        }
    }

    private String log() throws IOException {
        return Files.readString(folder.resolve("log"));
    }
}
