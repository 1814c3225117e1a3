package io.gpushare.e2e.sandbox;

import io.gpushare.e2e.sandbox.program.Program;
import io.gpushare.e2e.sandbox.program.RecordedImages;
import io.gpushare.e2e.sandbox.program.SimulatedLibrary;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import io.gpushare.simulated.claims.ClaimController;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.controller.DeploymentController;
import io.gpushare.simulated.kubelet.KubeletOptions;
import io.gpushare.simulated.kubelet.SimulatedKubelet;
import io.gpushare.simulated.scheduler.ExtenderConfig;
import io.gpushare.simulated.scheduler.SimulatedScheduler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The programs and simulated components of a sandbox, stopped in reverse order of their start, also after a failed
 * start.
 */
final class SandboxCluster implements AutoCloseable {
    private static final int PLUGIN_HEAP_MIB = 64;
    private static final int EXTENDER_HEAP_MIB = 128;

    private final Path repository;
    private final Path folder;
    private final Deque<AutoCloseable> running = new ArrayDeque<>();
    private final List<Program> programs = new ArrayList<>();
    private final Map<String, SimulatedKubelet> kubelets = new LinkedHashMap<>();
    private int extenderPort;
    private final Programs form;
    private final @Nullable RecordedImages images;
    private final Map<String, Program> plugins = new LinkedHashMap<>();
    private final SimulatedApiServer server;
    private final ApiClient cluster;
    private final DrawnNodes drawn;
    private volatile boolean stopping;

    /** Where the programs run. */
    enum Programs {
        PROCESSES,
        THIS_JVM
    }

    /**
     * One whose programs run in this JVM.
     *
     * @param repository the checkout, built
     * @param folder an empty folder with a short name, for sockets, cards and logs
     */
    SandboxCluster(Path repository, Path folder) throws IOException {
        this(repository, folder, 0, Programs.THIS_JVM, null);
    }

    /**
     * @param extenderPort the extender's port; 0 for any free port
     * @param images where the extender and the plugin of {@link SandboxNode#RECORDED} come from, if not from the
     *     checkout
     */
    SandboxCluster(Path repository, Path folder, int extenderPort, Programs form, @Nullable RecordedImages images)
            throws IOException {
        this.form = form;
        this.images = images;
        this.repository = repository;
        this.folder = folder;
        this.extenderPort = extenderPort;
        server = keep(SimulatedApiServer.start());
        cluster = keep(new ApiClient(server.uri()));
        drawn = keep(new DrawnNodes(server.uri()));
    }

    void start(List<SandboxNode> machines) throws IOException {
        Files.createDirectories(proc());
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig());
        Path logs = Files.createDirectories(folder.resolve("logs"));
        for (String namespace : List.of("default", "kube-system")) {
            server.add(ApiClient.document(
                    "{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" + namespace + "\"}}"));
        }
        keep(DeploymentController.start(server.uri()));
        keep(ClaimController.start(server.uri()));
        startExtender(kubeconfig, logs);
        server.service("kube-system", "gpushare-schd-extender", extender());
        for (SandboxNode machine : machines) {
            startNode(machine, Map.of(), List.of());
        }
        URI prefix = URI.create("http://127.0.0.1:" + extenderPort + "/gpushare-scheduler");
        ExtenderConfig extender = new ExtenderConfig(prefix, 5, managed(machines), Duration.ofSeconds(5));
        keep(SimulatedScheduler.start(server.uri(), extender, 1, InstantSource.system()));
    }

    /** The resources of which the scheduler asks the extender. */
    private static Set<String> managed(List<SandboxNode> machines) {
        return Stream.concat(
                        Stream.of(PodSpec.MEMORY, PodSpec.CARDS),
                        machines.stream().flatMap(SandboxNode::profiles).map(profile -> PodSpec.MIG + profile))
                .collect(Collectors.toSet());
    }

    /** Starts a node that offers its cards by claims. */
    void startServingClaims(SandboxNode machine) throws IOException {
        Path cdi = KubeletOptions.of(machine.name(), kubeletDirectory(machine.name()))
                .cdi();
        startNode(machine, Map.of(ClusterSnapshot.SERVE, "dra"), List.of("--serve=dra", "--cdi-dir=" + cdi));
    }

    /** Adds nodes that exist in the API only. */
    void draw(int nodes) throws IOException, InterruptedException {
        drawn.start(nodes);
    }

    /** Whether that node exists in the API only. */
    boolean drawn(String node) {
        return drawn.has(node);
    }

    private void startExtender(Path kubeconfig, Path logs) throws IOException {
        List<String> arguments = List.of(
                "io.gpushare.extender.program.ExtenderMain",
                "--kubeconfig=" + kubeconfig,
                "--bind-address=127.0.0.1",
                "--port=" + extenderPort,
                "--claims");
        Path log = logs.resolve("scheduler-extender.log");
        Program program = keep(
                images != null
                        ? images.start("scheduler-extender", arguments, Map.of(), List.of(folder), log)
                        : program(
                                "scheduler-extender",
                                "scheduler-extender",
                                EXTENDER_HEAP_MIB,
                                arguments,
                                Map.of(),
                                log));
        programs.add(program);
        extenderPort = Integer.parseInt(program.logged(Program.EXTENDER_PORT));
    }

    /** Shows the device plugins as pods, so that the extender finds their metrics, as it would those of a DaemonSet. */
    void showPlugins() {
        for (String node : kubelets.keySet()) {
            server.add(ApiClient.document("""
                {"apiVersion":"v1","kind":"Pod","metadata":{"name":"plugin-of-%1$s","namespace":"kube-system",
                   "labels":{"app":"gpushare","component":"gpu-share-device-plugin"},
                   "annotations":{"prometheus.io/port":"%2$d"}},
                 "spec":{"nodeName":"%1$s","containers":[{"name":"gpushare","image":"example/plugin:1"}]},
                 "status":{"phase":"Running","podIP":"127.0.0.1"}}\
                """.formatted(node, metrics(node).getPort())));
        }
    }

    private URI metrics(String node) {
        try {
            return URI.create(Objects.requireNonNull(plugins.get(node)).logged(Program.METRICS));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * @param labels those of the node beside that of GPU nodes
     * @param more options of the device plugin
     */
    private void startNode(SandboxNode machine, Map<String, String> labels, List<String> more) throws IOException {
        Path logs = folder.resolve("logs");
        Path directory = kubeletDirectory(machine.name());
        KubeletOptions options = KubeletOptions.of(machine.name(), directory).labelled(labels);
        kubelets.put(machine.name(), keep(SimulatedKubelet.start(options, server.uri(), InstantSource.system())));
        Path kubeconfig = Files.writeString(
                folder.resolve(machine.name() + ".kubeconfig"), server.kubeconfig(plugin(machine.name())));
        Path library = SimulatedLibrary.copy(
                driver(), Objects.requireNonNull(cards(machine.name()).getParent()));
        Path cards = Files.writeString(cards(machine.name()), machine.cardsFile());
        List<String> arguments = new ArrayList<>(List.of(
                "io.gpushare.plugin.PluginMain",
                "--metrics-address=127.0.0.1:0",
                "--node-name=" + machine.name(),
                "--kubeconfig=" + kubeconfig,
                "--nvml-library=" + library,
                "--kubelet-dir=" + directory,
                "--proc-dir=" + proc()));
        arguments.addAll(more);
        if (machine.isolated()) {
            startSupervisor(machine, cards, logs);
            arguments.addAll(List.of("--isolation=mps", "--mps-dir=" + mps(), "--mps-over-use-grace=2s"));
        }
        Map<String, String> environment = Map.of("GPUSHARE_SIMULATED_CARDS", cards.toString());
        Path log = logs.resolve("device-plugin-" + machine.name() + ".log");
        Program program = keep(
                images != null && machine.equals(SandboxNode.RECORDED)
                        ? images.start("device-plugin", arguments, environment, List.of(folder, driver()), log)
                        : program(
                                plugin(machine.name()), "device-plugin", PLUGIN_HEAP_MIB, arguments, environment, log));
        programs.add(program);
        plugins.put(machine.name(), program);
    }

    private Program program(
            String name, String module, int heapMib, List<String> arguments, Map<String, String> environment, Path log)
            throws IOException {
        Path path = repository.resolve(module);
        return switch (form) {
            case PROCESSES -> Program.start(name, path, heapMib, arguments, environment, log);
            case THIS_JVM -> Program.inThisJvm(name, path, arguments, environment, log);
        };
    }

    private void startSupervisor(SandboxNode machine, Path cards, Path logs) throws IOException {
        List<String> arguments = List.of(
                "io.gpushare.mps.SupervisorMain",
                "--mps-dir=" + mps(),
                "--nvml-library=" + cards.resolveSibling(SimulatedLibrary.NAME),
                "--mps-control-program=" + driver().resolve("mps/nvidia-cuda-mps-control"));
        programs.add(keep(program(
                "mps-supervisor of " + machine.name(),
                "device-plugin",
                PLUGIN_HEAP_MIB,
                arguments,
                Map.of("GPUSHARE_SIMULATED_CARDS", cards.toString()),
                logs.resolve("mps-supervisor-" + machine.name() + ".log"))));
    }

    /** The directory of MPS, which has one node. */
    private Path mps() {
        return folder.resolve("mps");
    }

    /** The simulated driver; below it, in mps, are the programs of MPS and a tenant. */
    Path driver() {
        return repository.resolve("nvml-binding/target/simulated-driver");
    }

    /** The device plugin's user at the API server. */
    private static String plugin(String node) {
        return "device-plugin of " + node;
    }

    /** While true, the device plugin of that node does not reach the API server; its kubelet does. */
    void cutOffPlugin(String node, boolean cut) {
        server.cutOff(plugin(node), cut);
    }

    Path kubeletDirectory(String node) {
        return folder.resolve(node);
    }

    /** The simulated driver's file of that node. Replace it atomically instead of writing into it. */
    Path cards(String node) {
        return folder.resolve(node + ".driver").resolve("cards");
    }

    /** The proc folder of the plugins: {@code <pid>/cgroup} for each process. */
    Path proc() {
        return folder.resolve("proc");
    }

    /** Stops the program of that name. */
    void stop(String name) {
        programs.stream().filter(program -> program.name().equals(name)).forEach(Program::close);
    }

    ApiClient api() {
        return cluster;
    }

    Map<String, SimulatedKubelet> kubelets() {
        return kubelets;
    }

    URI apiServer() {
        return server.uri();
    }

    URI extender() {
        return URI.create("http://127.0.0.1:" + extenderPort);
    }

    /** The metrics addresses: the extender under {@code extender}, and each plugin under its node. */
    Map<String, URI> metrics() {
        Map<String, URI> all = new LinkedHashMap<>();
        all.put("extender", extender().resolve("/metrics"));
        plugins.keySet().forEach(node -> all.put(node, metrics(node)));
        return all;
    }

    /** Whether the given number of nodes has all cards allocatable and the extender is ready. */
    boolean ready(int nodes) throws IOException, InterruptedException {
        ClusterSnapshot snapshot = ClusterSnapshot.take(cluster);
        return snapshot.nodes().size() == nodes && snapshot.allFree() && extenderReady();
    }

    private boolean extenderReady() throws InterruptedException {
        try (ApiClient extender = new ApiClient(extender())) {
            return extender.get("/readyz").succeeded();
        } catch (IOException _) {
            return false;
        }
    }

    /** Throws, with the end of its log, if a program has exited. */
    void checkPrograms() throws IOException {
        for (Program program : programs) {
            if (stopping) {
                return;
            }
            program.checkAlive();
        }
    }

    private <T extends AutoCloseable> T keep(T started) {
        synchronized (running) {
            running.push(started);
        }
        return started;
    }

    boolean stopping() {
        return stopping;
    }

    /** Stops each part once; it may be called twice, also from a shutdown hook. */
    @Override
    public void close() {
        stopping = true;
        while (true) {
            AutoCloseable next;
            synchronized (running) {
                next = running.poll();
            }
            if (next == null) {
                return;
            }
            try {
                next.close();
            } catch (Exception e) {
                System.err.println("stopping " + next + ": " + e);
            }
        }
    }
}
