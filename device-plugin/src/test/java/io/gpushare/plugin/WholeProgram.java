package io.gpushare.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.gpushare.api.deviceplugin.v1beta1.AllocateRequest;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateRequest;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.ContainerPreferredAllocationRequest;
import io.gpushare.api.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpushare.api.podresources.v1.ListPodResourcesResponse;
import io.gpushare.simulated.kubelet.ScriptedKubelet;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The whole program as a process, with the simulated driver, a kubelet on real sockets and an API over HTTP. */
public abstract class WholeProgram {
    /** Serves metrics on any free port, which the log names. */
    public static final String METRICS = "--metrics-address=127.0.0.1:0";

    public static final String MEMORY = "aliyun.com/gpu-mem";
    public static final String CARDS = "aliyun.com/gpu-count";
    public static final Duration PATIENCE = Duration.ofSeconds(30);
    public static final String A = "GPU-00000000-0000-4000-8000-00000000000a";
    public static final String B = "GPU-00000000-0000-4000-8000-00000000000b";
    public static final String C = "GPU-00000000-0000-4000-8000-00000000000c";
    public static final String CARD_A = "card kind=T4 memory=15GiB uuid=" + A;
    public static final String CARD_B = "card kind=T4 memory=15GiB uuid=" + B;

    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    public Path dir;

    public ScriptedKubelet kubelet;
    public TestApiServer api;
    private @Nullable Process program;

    @RegisterExtension
    public final AfterTestExecutionCallback logOfAFailure = context -> {
        if (context.getExecutionException().isPresent()) {
            System.out.println("the program's log:\n" + log());
        }
    };

    @BeforeEach
    public void start() throws Exception {
        kubelet = new ScriptedKubelet(dir).start();
        api = new TestApiServer();
    }

    @AfterEach
    public void end() throws Exception {
        if (program != null) {
            program.destroyForcibly().waitFor();
        }
        client.close();
        kubelet.close();
        api.close();
    }

    public Process run(String... options) throws IOException {
        return run(PluginMain.class, options);
    }

    /** A JVM with the classes of this test and that main class; options of the program follow. */
    public static List<String> java(Class<?> main) {
        return new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx64m",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    }

    /** Runs the program through that main class. */
    public Process run(Class<?> main, String... options) throws IOException {
        List<String> command = java(main);
        command.addAll(List.of(
                "--node-name=n1", "--kubeconfig=" + api.kubeconfig(dir.resolve("kubeconfig")), "--kubelet-dir=" + dir));
        command.addAll(List.of(options));
        if (command.stream().noneMatch(option -> option.startsWith("--nvml-library="))) {
            command.add("--nvml-library=" + System.getProperty("gpushare.simulated.driver"));
        }
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(dir.resolve("log").toFile()));
        builder.environment()
                .put("GPUSHARE_SIMULATED_CARDS", dir.resolve("cards").toString());
        builder.environment().put(SteppedPlugin.FILE, dir.resolve("step").toString());
        Process started = builder.start();
        program = started;
        return started;
    }

    public String log() throws IOException {
        return Files.readString(dir.resolve("log"));
    }

    /** Replaces the cards of the machine in one step. */
    public void cards(String... lines) throws IOException {
        replace("cards", String.join("\n", lines) + "\n");
    }

    /** Sets the wall clock of {@link SteppedPlugin} by that much ahead of the machine's. */
    public void stepWallClock(Duration ahead) throws IOException {
        replace("step", String.valueOf(ahead.toSeconds()));
    }

    private void replace(String name, String content) throws IOException {
        Path next = Files.writeString(dir.resolve(name + ".next"), content);
        Files.move(next, dir.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    /** pod-resources lists these pods, without devices. */
    public void list(String... pods) {
        var answer = ListPodResourcesResponse.newBuilder();
        addWaiting(answer, pods);
        kubelet.podResources(answer.build());
    }

    private static void addWaiting(ListPodResourcesResponse.Builder answer, String... pods) {
        for (String pod : pods) {
            answer.addPodResourcesBuilder()
                    .setNamespace("default")
                    .setName(pod)
                    .addContainersBuilder()
                    .setName("main");
        }
    }

    public List<String> preferred(String resource, int size) {
        return kubelet.calls(resource)
                .getPreferredAllocation(PreferredAllocationRequest.newBuilder()
                        .addContainerRequests(ContainerPreferredAllocationRequest.newBuilder()
                                .addAllAvailableDeviceIDs(kubelet.healthy(resource))
                                .setAllocationSize(size))
                        .build())
                .getContainerResponses(0)
                .getDeviceIDsList();
    }

    public Map<String, String> allocate(String resource, List<String> ids) {
        return response(resource, ids).getEnvsMap();
    }

    public ContainerAllocateResponse response(String resource, List<String> ids) {
        return kubelet.calls(resource)
                .allocate(AllocateRequest.newBuilder()
                        .addContainerRequests(
                                ContainerAllocateRequest.newBuilder().addAllDevicesIds(ids))
                        .build())
                .getContainerResponses(0);
    }

    /**
     * pod-resources lists the container {@code main} of that pod with these devices, and other pods without devices.
     */
    public void listRunning(String pod, String resource, List<String> ids, String... waiting) {
        var answer = ListPodResourcesResponse.newBuilder();
        answer.addPodResourcesBuilder()
                .setNamespace("default")
                .setName(pod)
                .addContainersBuilder()
                .setName("main")
                .addDevicesBuilder()
                .setResourceName(resource)
                .addAllDeviceIds(ids);
        addWaiting(answer, waiting);
        kubelet.podResources(answer.build());
    }

    public static String memoryOn(String card, int units) {
        return "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\",\"memory\":{\"%s\":%d}}]}"
                .formatted(card, units);
    }

    public static String wholeCard(String card) {
        return "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\",\"cards\":[\"%s\"]}]}"
                .formatted(card);
    }

    /** The metrics of the program, which was started with {@link #METRICS}. */
    public String metrics() throws IOException, InterruptedException {
        HttpResponse<String> answer = get("/metrics");
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.body();
    }

    public HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(URI.create(metricsUrl().replace("/metrics", path)))
                        .timeout(Duration.ofSeconds(10))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** The address that the latest start of the program logged. */
    public String metricsUrl() throws IOException {
        await().atMost(PATIENCE).until(() -> log().contains("metrics on http"));
        String log = log();
        return log.substring(log.lastIndexOf("metrics on ") + "metrics on ".length())
                .lines()
                .findFirst()
                .orElseThrow();
    }
}
