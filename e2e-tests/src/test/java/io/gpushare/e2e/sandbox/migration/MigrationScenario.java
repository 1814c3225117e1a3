package io.gpushare.e2e.sandbox.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.sandbox.program.Program;
import io.gpushare.e2e.sandbox.program.SimulatedLibrary;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.kubelet.KubeletOptions;
import io.gpushare.simulated.kubelet.MovableClock;
import io.gpushare.simulated.kubelet.SimulatedKubelet;
import io.gpushare.simulated.patience.Patience;
import io.gpushare.simulated.scheduler.ExtenderConfig;
import io.gpushare.simulated.scheduler.SimulatedScheduler;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two nodes with two cards of 15 GiB each, whose former device plugins are doubles, and the programs of this project.
 */
abstract class MigrationScenario {
    static final List<String> NODES = List.of("n1", "n2");
    static final String ALLOCATION = "gpushare.io/allocation";
    static final String INVENTORY = "gpushare.io/inventory";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    private final Path root = Path.of(System.getProperty("gpushare.root", ".."));
    private final Deque<AutoCloseable> running = new ArrayDeque<>();
    private final Map<String, SimulatedKubelet> kubelets = new HashMap<>();
    private final Map<String, AutoCloseable> formers = new HashMap<>();
    private final MovableClock clock = new MovableClock();
    private final int unitMib;
    private final List<String> flags;
    private SimulatedApiServer server;
    private ClusterApi api;
    private CardWatch watch;

    /**
     * Describes the installation of this project.
     *
     * @param unitMib the memory unit
     * @param flags of both programs
     */
    MigrationScenario(int unitMib, String... flags) {
        this.unitMib = unitMib;
        this.flags = List.of(flags);
    }

    /** Lets that time pass for the kubelets. */
    final void pass(Duration time) {
        clock.pass(time);
    }

    /** Starts the former device plugin of a node, at the kubelet with that directory. */
    abstract AutoCloseable formerPlugin(String node, Path kubelet) throws IOException;

    @BeforeEach
    final void start() throws Exception {
        server = keep(SimulatedApiServer.start());
        api = keep(new ClusterApi(server.uri()));
        for (String node : NODES) {
            kubelets.put(
                    node,
                    keep(SimulatedKubelet.start(KubeletOptions.of(node, folder.resolve(node)), server.uri(), clock)));
            await(() -> api.nodes().contains(node));
            startFormer(node);
        }
        watch = keep(new CardWatch(api, kubelets, MigrationScenario::cards, unitMib));
    }

    @AfterEach
    final void end() throws Exception {
        while (!running.isEmpty()) {
            running.pop().close();
        }
    }

    final ClusterApi api() {
        return api;
    }

    final CardWatch watch() {
        return watch;
    }

    final SimulatedKubelet kubelet(String node) {
        return Objects.requireNonNull(kubelets.get(node));
    }

    /** The cards of the node in the order of their index. */
    static List<String> cards(String node) {
        return Stream.of("a", "b")
                .map(card -> "GPU-00000000-0000-4000-8000-0000000000" + node.charAt(1) + card)
                .toList();
    }

    /** Ends the former device plugin of the node, if it runs. */
    final void endFormer(String node) throws Exception {
        Objects.requireNonNull(formers.get(node)).close();
    }

    final void startFormer(String node) throws IOException {
        formers.put(node, keep(formerPlugin(node, folder.resolve(node))));
    }

    /** Replaces the former device plugin of the node by ours, which waits until the former one is gone. */
    final Program replaceFormer(String node) throws Exception {
        Program plugin = keep(startPlugin(node));
        Path log = log(node);
        await(() -> Files.readString(log).contains("another device plugin serves these resources"));
        assertThat(api.annotation(node, INVENTORY)).isEmpty();
        Objects.requireNonNull(formers.get(node)).close();
        await(() -> !api.annotation(node, INVENTORY).isEmpty());
        return plugin;
    }

    /** Waits until each running container of the node with cards has those that it sees in our annotation. */
    final void awaitAdoption(String node) {
        await(() -> watch.containers().entrySet().stream()
                .filter(seen -> api.pod(pod(seen.getKey())).node().equals(node))
                .allMatch(seen ->
                        Stream.of(seen.getValue().split(",", -1)).allMatch(allocation(seen.getKey())::contains)));
    }

    /** What our annotation gives a container, which {@link CardWatch#containers} names. */
    private String allocation(String container) {
        int slash = container.indexOf('/');
        String name = slash < 0 ? "main" : container.substring(slash + 1);
        String written = api.pod(pod(container)).annotation(ALLOCATION);
        return ApiClient.document(written.isEmpty() ? "{}" : written)
                .path("containers")
                .valueStream()
                .filter(each -> each.path("name").asText().equals(name))
                .map(Object::toString)
                .findFirst()
                .orElse("");
    }

    /** The pod of a container that {@link CardWatch#containers} names. */
    static String pod(String container) {
        return container.split("/", -1)[0];
    }

    private Program startPlugin(String node) throws IOException {
        StringBuilder driver = new StringBuilder("driver version=580.95.05 cuda=13.0\n");
        cards(node).forEach(card -> driver.append("card kind=T4 memory=15GiB uuid=" + card + "\n"));
        Path library = SimulatedLibrary.copy(
                root.resolve("nvml-binding/target/simulated-driver"), folder.resolve(node + ".driver"));
        Files.writeString(library.resolveSibling("cards"), driver);
        List<String> arguments = new ArrayList<>(List.of(
                "io.gpushare.plugin.PluginMain",
                "--node-name=" + node,
                "--kubeconfig=" + kubeconfig(),
                "--nvml-library=" + library,
                "--kubelet-dir=" + folder.resolve(node)));
        arguments.addAll(flags);
        return Program.inThisJvm(
                "device-plugin of " + node, root.resolve("device-plugin"), arguments, Map.of(), log(node));
    }

    /** Starts our extender and waits until it is ready. */
    final URI startExtender() throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "io.gpushare.extender.program.ExtenderMain",
                "--bind-address=127.0.0.1",
                "--port=0",
                "--kubeconfig=" + kubeconfig()));
        arguments.addAll(flags);
        Program program = keep(Program.inThisJvm(
                "scheduler-extender",
                root.resolve("scheduler-extender"),
                arguments,
                Map.of(),
                folder.resolve("extender.log")));
        URI uri = URI.create("http://127.0.0.1:" + program.logged(Program.EXTENDER_PORT));
        try (ApiClient extender = new ApiClient(uri)) {
            Patience.await(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> extender.get("/readyz").succeeded());
        }
        return uri.resolve("/gpushare-scheduler");
    }

    /** Starts a scheduler of that name, with an extender. */
    final SimulatedScheduler scheduler(String name, URI extender, Set<String> managed, List<String> ignored) {
        return keep(SimulatedScheduler.start(
                Set.of(name),
                server.uri(),
                new ExtenderConfig(extender, 5, managed, Set.copyOf(ignored), Duration.ofSeconds(5)),
                1,
                InstantSource.system()));
    }

    private Path kubeconfig() throws IOException {
        return Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig());
    }

    private Path log(String node) {
        return folder.resolve("plugin-" + node + ".log");
    }

    final void awaitPhase(String pod, String phase) {
        await("pod " + pod + " is " + phase, () -> api.pod(pod).phase().equals(phase));
    }

    /** The pods with cards of that node that run. */
    final List<PodDocument> running(String node) {
        return api.pods(node).stream()
                .filter(pod -> pod.phase().equals("Running"))
                .toList();
    }

    static void await(Callable<Boolean> condition) {
        Patience.await(PATIENCE).until(condition);
    }

    static void await(String what, Callable<Boolean> condition) {
        Patience.await(PATIENCE).alias(what).until(condition);
    }

    final <T extends AutoCloseable> T keep(T started) {
        running.push(started);
        return started;
    }
}
