package io.gpushare.extender.program;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.TestApiServer.Fault;
import io.gpushare.program.RunningProgram;
import io.gpushare.simulated.patience.Patience;
import io.gpushare.simulated.program.Ends;
import io.gpushare.simulated.program.StartedProgram;
import io.gpushare.time.Clocks;
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
import java.time.Instant;
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

/** The packaged program, in its own process where signals end it. */
class ProgramIT {
    private static final Pattern LISTENING = Pattern.compile("listening on 127.0.0.1 port ([0-9]+)");
    private static final Path TARGET = Path.of(System.getProperty("gpushare.root"), "scheduler-extender", "target");

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

    /** A huge annotation with newlines, which another program wrote, is one line of the log and an accepted Event. */
    @Test
    void sigtermFinishesABindInFlightAndExitsWith0() throws Exception {
        String forged = "2026-01-01T00:00:00.000Z INFO  Ledger - forged";
        api.pod("huge", "uid-huge", new JsonObject().put("aliyun.com/gpu-mem", "3"));
        api.boundByOther(
                "huge",
                "n1",
                Map.of(
                        "gpushare.io/allocation",
                        "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\",\"role\":\"x\\n" + forged
                                + "é".repeat(12_000) + "\",\"memory\":{}}]}"));
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
            await().until(() -> !api.recordedEvents().isEmpty());
            assertThat(api.recordedEvents().getFirst())
                    .contains("GpuAllocationDisbelieved", "'role' is init or sidecar", "recreate the pod");
            assertThat(log()).contains("'role' is init or sidecar").hasSizeLessThan(20_000);
            assertThat(log().lines()).noneMatch(line -> line.startsWith(forged));
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
            CompletableFuture<Instant> ended = program.onExit().thenApply(_ -> Instant.now());
            program.toHandle().destroy(); // SIGTERM
            await().until(() -> log().contains("the lease has been given back"));
            await().until(() -> log().contains("ExtenderProgram - stopped"));
            assertThat(api.leader()).isEmpty();
            assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(port.group(1))))
                    .isInstanceOf(ConnectException.class);
            assertThat(Patience.exitCode(program)).isZero();
            Instant stopped = Instant.parse(log().lines()
                    .filter(line -> line.endsWith("ExtenderProgram - stopped"))
                    .map(line -> line.split(" ", 2)[0])
                    .findFirst()
                    .orElseThrow());
            assertThat(Duration.between(stopped, Patience.result(ended)))
                    .as("for which the process keeps its address")
                    .isGreaterThan(Duration.ofSeconds(2));
        } finally {
            program.destroyForcibly();
        }
    }

    @Test
    void invalidOptionsAreReportedTogetherWithExitCode2() throws Exception {
        assertThat(exitCode("--colour=red", "--port=x")).isEqualTo(2);
        assertThat(log()).contains("Unknown option: '--colour=red'", "'x' is not a port");
    }

    @Test
    void outsideAClusterAKubeconfigIsRequired() throws Exception {
        assertThat(exitCode("--port=0")).isEqualTo(1);
        assertThat(log()).contains("name a file with --kubeconfig");
    }

    /** That of the program in this JVM. */
    private int exitCode(String... args) throws Exception {
        try (StartedProgram program = StartedProgram.inThisJvm(folder.resolve("log"), () -> {
            RunningProgram running = ExtenderProgram.start(List.of(args), Map.of(), Clocks.system());
            return new Ends(running.exit(), running::terminate, running::fail);
        })) {
            return program.exitCode();
        }
    }

    private Process program(String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                TARGET.resolve("lib") + "/*" + File.pathSeparator + jar(),
                "io.gpushare.extender.program.ExtenderMain"));
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
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(TARGET, "scheduler-extender-*.jar")) {
            return jars.iterator().next();
        }
    }

    private String log() throws IOException {
        return Files.readString(folder.resolve("log"));
    }
}
