package io.gpushare.e2e.chaos.check;

import io.gpushare.e2e.chaos.check.pod.ContainerRequest;
import io.gpushare.e2e.chaos.check.pod.HeldCards;
import io.gpushare.e2e.cluster.LocalCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The cluster's processes and their environments, read from {@code /proc}. */
public final class Processes {
    public static final String UID = "CHAOS_UID";
    public static final String POD = "CHAOS_POD";
    public static final String CONTAINER = "CHAOS_CONTAINER";
    public static final String REQUEST = "CHAOS_REQUEST";

    private static final Pattern CONTAINER_ID = Pattern.compile("[0-9a-f]{64}");

    /** A process of the device plugin or the extender, in its container. */
    public record Program(ProcessHandle process, String pod, String node) {}

    private final LocalCluster cluster;

    public Processes(LocalCluster cluster) {
        this.cluster = cluster;
    }

    /** The cards that the load's containers see. */
    List<HeldCards> containers() {
        Map<String, HeldCards> uses = new HashMap<>();
        cluster.processes()
                .forEach(process ->
                        container(process).ifPresent(use -> uses.put(use.uid() + "/" + use.container(), use)));
        return List.copyOf(uses.values());
    }

    /**
     * A process of a container of the load.
     *
     * @param pid its ID on the node
     * @param id the container's, as the runtime knows it
     */
    public record Running(ProcessHandle process, long pid, String id, HeldCards held) {}

    /** The first processes of the load's containers, where the runtime's ID is in their cgroups. */
    public List<Running> running() {
        Map<String, Running> found = new TreeMap<>();
        cluster.processes()
                .forEach(process -> container(process).ifPresent(held -> {
                    Matcher id = CONTAINER_ID.matcher(text(process, "cgroup"));
                    if (id.find()) {
                        found.putIfAbsent(id.group(), new Running(process, pidOnNode(process), id.group(), held));
                    }
                }));
        return List.copyOf(found.values());
    }

    /** The processes of the load's containers. */
    List<MemoryUse.Member> members() {
        return cluster.processes()
                .flatMap(process ->
                        container(process).map(use -> new MemoryUse.Member(pidOnNode(process), use)).stream())
                .toList();
    }

    private static Optional<HeldCards> container(ProcessHandle process) {
        Map<String, String> environment = environment(process);
        @Nullable String uid = environment.get(UID);
        return uid == null
                ? Optional.empty()
                : Optional.of(new HeldCards(
                        uid,
                        environment.getOrDefault(POD, ""),
                        environment.getOrDefault(CONTAINER, ""),
                        ContainerRequest.parse(environment.getOrDefault(REQUEST, "")),
                        cards(environment.getOrDefault("NVIDIA_VISIBLE_DEVICES", ""))));
    }

    private static Set<String> cards(String variable) {
        return variable.isEmpty() ? Set.of() : Set.of(variable.split(","));
    }

    /** The PID in the namespace of the cluster, which is the one of its nodes; 0 for a process that has ended. */
    private static long pidOnNode(ProcessHandle process) {
        return text(process, "status")
                .lines()
                .filter(line -> line.startsWith("NSpid:"))
                .map(line -> line.strip().split("\\s+"))
                .filter(pids -> pids.length > 2)
                .mapToLong(pids -> Long.parseLong(pids[2]))
                .findFirst()
                .orElse(0);
    }

    /** Whether a signal has stopped it. */
    static boolean stopped(ProcessHandle process) {
        return text(process, "status").contains("State:\tT");
    }

    /** The supervisor of MPS on that node, if it runs. */
    public Optional<ProcessHandle> supervisor(String node) {
        return cluster.processes()
                .filter(process -> text(process, "cmdline").contains("io.gpushare.mps.SupervisorMain"))
                .filter(process -> node.equals(environment(process).get("NODE_NAME")))
                .findFirst();
    }

    /** The control daemons of MPS on that node, one for each card that is shared. */
    public List<ProcessHandle> controlDaemons(String node) {
        return cluster.processes()
                .filter(process -> text(process, "cmdline").contains("nvidia-cuda-mps-control\0-f"))
                .filter(process -> node.equals(environment(process).get("NODE_NAME")))
                .toList();
    }

    /** The control daemon of that card, if it runs. */
    public Optional<ProcessHandle> controlDaemon(String node, String card) {
        return controlDaemons(node).stream()
                .filter(daemon -> card.equals(environment(daemon).get("CUDA_VISIBLE_DEVICES")))
                .findFirst();
    }

    /**
     * A program that holds memory of a card.
     *
     * @param honest whether it is the only one of its container, and keeps its limit
     */
    public record Tenant(ProcessHandle process, String uid, String pod, String card, boolean honest) {}

    /** The programs of containers with memory of a card of that node. */
    public List<Tenant> tenants(String node) {
        return cluster.processes()
                .filter(process -> text(process, "cmdline").startsWith("/simulated/mps/gpu-eat"))
                .filter(process -> node.equals(environment(process).get("NODE_NAME")))
                .flatMap(process -> container(process)
                        .map(held -> new Tenant(
                                process,
                                held.uid(),
                                held.pod(),
                                String.join(",", held.cards()),
                                process.parent().filter(Processes::honest).isPresent()))
                        .stream())
                .toList();
    }

    /** The shell that starts the programs of a container again and again. */
    private static boolean honest(ProcessHandle shell) {
        String script = text(shell, "cmdline");
        return script.split("gpu-eat", -1).length == 2 && !script.contains("env -u");
    }

    /** The device plugin of that node, if it runs. */
    public Optional<Program> plugin(String node) {
        return programs().stream()
                .filter(program -> program.node().equals(node))
                .findFirst();
    }

    /** The extender that runs in that pod, if any does. */
    public Optional<Program> extender(String pod) {
        return programs().stream()
                .filter(program -> !pod.isEmpty() && program.pod().equals(pod))
                .findFirst();
    }

    private List<Program> programs() {
        List<Program> programs = new ArrayList<>();
        cluster.processes().filter(Processes::ours).forEach(process -> {
            Map<String, String> environment = environment(process);
            programs.add(new Program(
                    process, environment.getOrDefault("HOSTNAME", ""), environment.getOrDefault("NODE_NAME", "")));
        });
        return programs;
    }

    /** Whether it is one of the project's programs: their images start the JVM with this file of flags. */
    private static boolean ours(ProcessHandle process) {
        return text(process, "cmdline").contains("@/app/jvm.args");
    }

    private static Map<String, String> environment(ProcessHandle process) {
        Map<String, String> environment = new HashMap<>();
        for (String variable : text(process, "environ").split("\0")) {
            int equals = variable.indexOf('=');
            if (equals > 0) {
                environment.put(variable.substring(0, equals), variable.substring(equals + 1));
            }
        }
        return environment;
    }

    private static String text(ProcessHandle process, String file) {
        try {
            return Files.readString(Path.of("/proc", String.valueOf(process.pid()), file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return ""; // it ended
        }
    }
}
