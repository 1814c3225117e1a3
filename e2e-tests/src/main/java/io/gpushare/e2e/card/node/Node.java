package io.gpushare.e2e.card.node;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.kubelet.KubeletOptions;
import io.gpushare.simulated.kubelet.SimulatedKubelet;
import io.gpushare.simulated.kubelet.StartedContainer;
import java.io.IOException;
import java.io.UncheckedIOException;
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
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A node of its own: the real device plugin and supervisor of MPS on the card, with the simulated kubelet and API
 * server. Containers are records; their processes are tenants with the containers' variables.
 */
public final class Node implements AutoCloseable {
    public static final String CORES = "aliyun.com/gpu-core.percentage";
    public static final Duration PATIENCE = Duration.ofSeconds(40);

    private static final String NAME = "card";
    private static final AtomicInteger NUMBER = new AtomicInteger();
    static final String PODS = "/api/v1/namespaces/default/pods";

    /** A container that has started. */
    public record Container(String pod, String uid, String id, Map<String, String> environment) {
        /** A variable of its environment; empty if it is not set. */
        public String variable(String name) {
            return environment.getOrDefault(name, "");
        }
    }

    private final Machine machine;
    private final Path directory;
    private final Deque<AutoCloseable> running = new ArrayDeque<>();
    private final SimulatedApiServer server;
    private final ApiClient api;
    private final SimulatedKubelet kubelet;
    private final NodePrograms programs;

    private Node(Machine machine) throws IOException {
        this.machine = machine;
        Path folder = machine.work().resolve("n" + NUMBER.incrementAndGet());
        directory = folder.resolve("k");
        server = keep(SimulatedApiServer.start());
        api = keep(new ApiClient(server.uri()));
        for (String namespace : List.of("default", "kube-system")) {
            server.add(ApiClient.document(
                    "{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" + namespace + "\"}}"));
        }
        kubelet =
                keep(SimulatedKubelet.start(KubeletOptions.of(NAME, directory), server.uri(), InstantSource.system()));
        programs = keep(new NodePrograms(machine, folder));
        Files.createDirectories(programs.proc());
    }

    /** Starts a node whose plugin counts memory only. */
    public static Node start(Machine machine, String... options) throws IOException {
        return start(machine, false, options);
    }

    /** Starts a node with MPS. */
    public static Node withMps(Machine machine, String... options) throws IOException, SkippedException {
        if (Machine.find("nvidia-cuda-mps-control").isEmpty()) {
            throw new SkippedException("nvidia-cuda-mps-control is missing");
        }
        return start(machine, true, options);
    }

    /** Starts a node with MPS that offers its card by claims. */
    public static Node withClaims(Machine machine) throws IOException, SkippedException {
        return withMps(machine, "--serve=dra");
    }

    /** Starts a node with that library of HAMi-core. */
    public static Node withHamiCore(Machine machine, Path library) throws IOException {
        return start(
                machine,
                false,
                "--isolation=hami-core",
                "--hami-core-library=" + library,
                "--hami-core-dir=" + machine.work().resolve("h"));
    }

    private static Node start(Machine machine, boolean mps, String... options) throws IOException {
        Node node = new Node(machine);
        try {
            List<String> all = new ArrayList<>(mps ? node.programs.startSupervisor() : List.of());
            all.addAll(List.of(options));
            node.programs.startPlugin(NAME, node.server.kubeconfig(), node.directory, all);
            Await.until(
                    PATIENCE,
                    "the plugin offers the card",
                    () -> {
                        node.programs.checkAlive();
                        return node.healthy(PodSpec.MEMORY) > 0 || node.claims().offered();
                    },
                    offered -> offered);
            return node;
        } catch (IOException | RuntimeException | Error e) {
            node.close();
            throw e;
        }
    }

    /** The claims on the node's card. */
    public CardClaims claims() {
        return new CardClaims(this, NAME, machine.uuid(), directory.resolve("cdi"));
    }

    public NodePrograms programs() {
        return programs;
    }

    /** The devices of a resource that are healthy. */
    public int healthy(String resource) {
        return kubelet.allocatable(resource);
    }

    public int awaitHealthy(String resource, int count) {
        return Await.until(PATIENCE, "healthy " + resource, () -> healthy(resource), seen -> seen == count);
    }

    public Container memory(String name, int units) throws IOException, InterruptedException {
        return start(PodSpec.sharing(name, 600, units), Map.of(), "\"memory\":{\"%s\":" + units + "}");
    }

    public Container cores(String name, int units, int percent) throws IOException, InterruptedException {
        return start(
                PodSpec.sharing(name, 600, units),
                Map.of(CORES, String.valueOf(percent)),
                "\"memory\":{\"%1$s\":" + units + "},\"cores\":{\"%1$s\":" + percent + "}");
    }

    public Container whole(String name) throws IOException, InterruptedException {
        return start(PodSpec.whole(name, 600, 1), Map.of(), "\"cards\":[\"%s\"]");
    }

    /** Creates a pod that is bound to this node and card, and waits until its container has started. */
    private Container start(PodSpec pod, Map<String, String> more, String allocation)
            throws IOException, InterruptedException {
        ObjectNode document = pod.document();
        document.withObject("/spec").put("nodeName", NAME);
        document.withObject("/metadata/annotations")
                .put(
                        "gpushare.io/allocation",
                        "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\","
                                + allocation.formatted(machine.uuid()) + "}]}");
        more.forEach(document.withObject("/spec/containers/0/resources/limits")::put);
        create(PODS, document);
        return started(pod.name());
    }

    /** Creates an object; returns it as the API server has it. */
    ObjectNode create(String path, ObjectNode document) throws IOException, InterruptedException {
        ApiClient.Answer answer = api.post(path, document);
        if (!answer.succeeded()) {
            throw new IOException(document.path("kind").asText() + " can't be created: " + answer.message());
        }
        return answer.document();
    }

    /** Waits until the pod's container has started. */
    Container started(String pod) throws IOException {
        Await.until(
                PATIENCE,
                "the pod " + pod + " runs",
                () -> pod(pod).phase(),
                phase -> !phase.equals("Pending") && !phase.isEmpty());
        PodDocument running = pod(pod);
        StartedContainer started = kubelet.started("default", pod, "main")
                .orElseThrow(() -> new IOException(
                        "the pod " + pod + " failed: " + running.document().path("status")));
        Map<String, String> environment = new HashMap<>(started.environment());
        started.mounts().forEach((inContainer, onHost) -> environment.putAll(mounted(inContainer, onHost)));
        String id =
                running.document().at("/status/containerStatuses/0/containerID").asText();
        return new Container(pod, running.uid(), id.replace("containerd://", ""), environment);
    }

    /** The variables by which a program finds on the node what the container would have at a path of its own. */
    private static Map<String, String> mounted(String inContainer, String onHost) {
        return switch (inContainer) {
            case "/tmp/nvidia-mps" -> Map.of("CUDA_MPS_PIPE_DIRECTORY", onHost);
            case "/usr/local/vgpu" -> Map.of("CUDA_DEVICE_MEMORY_SHARED_CACHE", onHost + "/gpushare.cache");
            // The library opens itself again, by the second variable.
            case "/usr/local/vgpu/libvgpu.so" -> Map.of("LD_PRELOAD", onHost, "CUDA_REDIRECT", onHost);
            default -> Map.of();
        };
    }

    private PodDocument pod(String name) {
        return new PodDocument(get(PODS + "/" + name));
    }

    ObjectNode get(String path) {
        try {
            return api.get(path).document();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    public void delete(Container container) throws IOException, InterruptedException {
        api.delete(PODS + "/" + container.pod(), ApiClient.document("{\"gracePeriodSeconds\":0}"));
    }

    /** Starts a tenant as a process of that container. */
    public Tenant tenant(Container container, String... arguments) throws IOException {
        return tenant(container, Map.of(), arguments);
    }

    /** The same with changed variables; an empty one is unset. */
    public Tenant tenant(Container container, Map<String, String> changes, String... arguments) throws IOException {
        return inContainer(container, changes, environment -> Tenant.start(machine, environment, arguments));
    }

    /** Starts that command as a process of that container, with changed variables. */
    public Tenant program(Container container, Map<String, String> changes, List<String> command) throws IOException {
        return inContainer(container, changes, environment -> Tenant.start(machine, environment, command));
    }

    private interface Starter {
        Tenant start(Map<String, String> environment) throws IOException;
    }

    private Tenant inContainer(Container container, Map<String, String> changes, Starter starter) throws IOException {
        boolean mps = !container.variable("CUDA_MPS_PIPE_DIRECTORY").isEmpty();
        Map<String, String> environment = new HashMap<>(mps ? Map.of() : machine.withoutMps());
        environment.putAll(container.environment());
        environment.putAll(changes);
        environment.values().removeIf(String::isEmpty);
        Tenant tenant = keep(starter.start(environment));
        Path process = Files.createDirectories(programs.proc().resolve(String.valueOf(tenant.pid())));
        Files.writeString(
                process.resolve("cgroup"),
                "0::/kubepods/burstable/pod" + container.uid() + "/" + container.id() + "\n");
        try {
            Files.writeString(
                    process.resolve("stat"), Files.readString(Path.of("/proc", String.valueOf(tenant.pid()), "stat")));
        } catch (IOException _) {
            // It has ended.
        }
        tenant.onExit(() -> forget(process));
        return tenant;
    }

    /** As the kernel does: a container whose processes have ended does not run. */
    private static void forget(Path process) {
        try {
            Files.deleteIfExists(process.resolve("cgroup"));
            Files.deleteIfExists(process.resolve("stat"));
            Files.deleteIfExists(process);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for an Event of that reason on a pod; its message, or "none". */
    public String event(String reason, String pod, int seconds) {
        try {
            return Await.until(
                    Duration.ofSeconds(seconds), reason, () -> event(reason, pod), found -> !found.equals("none"));
        } catch (AssertionError e) {
            return "none";
        }
    }

    private String event(String reason, String pod) {
        for (var event : get("/api/v1/namespaces/default/events").path("items")) {
            if (event.path("reason").asText().equals(reason)
                    && event.at("/involvedObject/name").asText().equals(pod)) {
                return event.path("message").asText();
            }
        }
        return "none";
    }

    /** The node's annotation in which the plugin publishes its cards. */
    public String inventory() {
        return get("/api/v1/nodes/" + NAME).at("/metadata/annotations").toString();
    }

    private <T extends AutoCloseable> T keep(T started) {
        running.push(started);
        return started;
    }

    /** Ends everything: tenants first, then the programs. */
    @Override
    public void close() {
        for (AutoCloseable each : running) {
            try {
                each.close();
            } catch (Exception e) {
                System.err.println("stopping " + each + ": " + e);
            }
        }
    }
}
