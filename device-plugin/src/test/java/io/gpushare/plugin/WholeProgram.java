package io.gpushare.plugin;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.api.deviceplugin.v1beta1.AllocateRequest;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateRequest;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.ContainerPreferredAllocationRequest;
import io.gpushare.api.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpushare.api.podresources.v1.ListPodResourcesResponse;
import io.gpushare.program.RunningProgram;
import io.gpushare.simulated.kubelet.ScriptedKubelet;
import io.gpushare.simulated.pages.MetricTable;
import io.gpushare.simulated.patience.Patience;
import io.gpushare.simulated.program.Ends;
import io.gpushare.simulated.program.StartedProgram;
import io.gpushare.time.Clocks;
import io.gpushare.time.Deadlines;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The whole program, with the simulated driver, a kubelet on real sockets and an API over HTTP. */
public abstract class WholeProgram {
    /** Serves metrics on any free port, which the log names. */
    public static final String METRICS = "--metrics-address=127.0.0.1:0";

    public static final String MEMORY = "aliyun.com/gpu-mem";
    public static final String CARDS = "aliyun.com/gpu-count";
    public static final String A = "GPU-00000000-0000-4000-8000-00000000000a";
    public static final String B = "GPU-00000000-0000-4000-8000-00000000000b";
    public static final String C = "GPU-00000000-0000-4000-8000-00000000000c";
    public static final String CARD_A = "card kind=T4 memory=15GiB uuid=" + A;
    public static final String CARD_B = "card kind=T4 memory=15GiB uuid=" + B;

    private static final String SIMULATED_CARDS = "GPUSHARE_SIMULATED_CARDS";

    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    public Path dir;

    public ScriptedKubelet kubelet;
    public TestApiServer api;
    private final List<StartedProgram> programs = new ArrayList<>();
    private volatile Duration wallAhead = Duration.ZERO;
    private volatile Duration passed = Duration.ZERO;

    @RegisterExtension
    public final AfterTestExecutionCallback logOfAFailure = context -> {
        if (context.getExecutionException().isPresent()) {
            System.out.println("the log of the programs:\n" + log());
        }
    };

    @BeforeAll
    static void warmUp() throws Exception {
        WarmUp.once();
    }

    @BeforeEach
    public void start() throws Exception {
        kubelet = new ScriptedKubelet(dir).start();
        api = new TestApiServer();
    }

    @AfterEach
    public void end() throws Exception {
        for (StartedProgram program : programs.reversed()) {
            program.close();
        }
        client.close();
        kubelet.close();
        api.close();
    }

    /** Starts the program in this JVM. */
    public StartedProgram run(String... options) throws IOException {
        List<String> arguments = arguments(options);
        int deadlines = (int) Math.ceilDiv(Patience.of(Duration.ofSeconds(1)).toMillis(), 1000);
        return started(StartedProgram.inThisJvm(dir.resolve("log"), () -> {
            RunningProgram program = PluginProgram.start(
                    arguments,
                    Map.of(),
                    Clocks.of(
                            () -> Instant.now().plus(wallAhead).plus(passed),
                            () -> System.nanoTime() + passed.toNanos()),
                    new Deadlines(deadlines));
            return new Ends(program.exit(), program::terminate, program::fail);
        }));
    }

    /** Starts the program as a process, where its own life is the point. */
    public StartedProgram runProcess(String... options) throws IOException {
        List<String> command = java(PluginMain.class);
        command.addAll(arguments(options));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put(SIMULATED_CARDS, dir.resolve("cards").toString());
        return started(StartedProgram.process(dir.resolve("log"), builder));
    }

    protected StartedProgram started(StartedProgram program) {
        programs.add(program);
        return program;
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

    private List<String> arguments(String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "--node-name=n1", "--kubeconfig=" + api.kubeconfig(dir.resolve("kubeconfig")), "--kubelet-dir=" + dir));
        arguments.addAll(List.of(options));
        if (arguments.stream().noneMatch(option -> option.startsWith("--nvml-library="))) {
            arguments.add("--nvml-library=" + driver());
        }
        return arguments;
    }

    /** This test's copy of the simulated driver, which finds its cards beside it. */
    protected Path driver() throws IOException {
        Path copy = dir.resolve("libnvidia-ml.so.1");
        if (!Files.exists(copy)) {
            Files.copy(Path.of(System.getProperty("gpushare.simulated.driver")), copy);
        }
        return copy;
    }

    public String log() throws IOException {
        return Files.readString(dir.resolve("log"));
    }

    /** Replaces the cards of the machine in one step. */
    public void cards(String... lines) throws IOException {
        replace("cards", String.join("\n", lines) + "\n");
    }

    /** Replaces the cards, of which one can have MIG, and waits until the driver read them for the program. */
    public void awaitScan(String... lines) throws IOException {
        Path minors = dir.resolve("cards.mig-minors");
        Files.deleteIfExists(minors);
        cards(lines);
        await().until(() -> Files.exists(minors));
    }

    /** Sets the wall clock of the programs in this JVM by that much ahead of the machine's. */
    public void stepWallClock(Duration ahead) {
        wallAhead = ahead;
    }

    /** Lets so much time pass at once by both clocks of the programs in this JVM. */
    public void passTime(Duration time) {
        passed = passed.plus(time);
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

    /** The devices that the plugin prefers: it prefers none where it does not learn in time which pod is admitted. */
    public List<String> preferred(String resource, int size) {
        return await().until(() -> preferredNow(resource, size), devices -> devices.size() == size);
    }

    private List<String> preferredNow(String resource, int size) {
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
        assertThat(MetricTable.differences(answer.body())).isEmpty();
        return answer.body();
    }

    public HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(URI.create(metricsUrl().replace("/metrics", path)))
                        .timeout(Patience.of(Duration.ofSeconds(10)))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** The address that the latest start of the program logged. */
    public String metricsUrl() throws IOException {
        await().until(() -> log().contains("metrics on http"));
        String log = log();
        return log.substring(log.lastIndexOf("metrics on ") + "metrics on ".length())
                .lines()
                .findFirst()
                .orElseThrow();
    }
}
