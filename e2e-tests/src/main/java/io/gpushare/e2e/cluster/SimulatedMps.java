package io.gpushare.e2e.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * MPS on the nodes of an installation as deploy/isolation describes it, with the simulated control program, and tenants
 * that allocate memory through the simulated CUDA library.
 */
public final class SimulatedMps {
    public static final String SUPERVISOR = "daemonset/gpu-share-mps";

    private static final String SUPERVISORS = "component=gpu-share-mps";
    private static final Duration READY = Duration.ofMinutes(3);
    private static final Path PROGRAMS = Path.of("nvml-binding/target/simulated-driver/mps");
    /** Debian's C library, which the build of the images unpacks. */
    private static final Path LIBC = Path.of("deploy/target/libc");

    private final Cluster cluster;
    private final Path root;

    /** @param root the repository, with built images */
    public SimulatedMps(Cluster cluster, Path root) {
        this.cluster = cluster;
        this.root = root;
    }

    /** Copies the programs to the nodes and makes the ledgers of the cards, which tenants of any user write. */
    public void copyPrograms(List<String> nodes) {
        try {
            Path mps = Files.createDirectories(shared("mps"));
            for (String program : List.of(
                    "nvidia-cuda-mps-control", "nvidia-cuda-mps-server", "libcuda.so.1", "gpu-eat", "libvgpu.so")) {
                copy(PROGRAMS.resolve(program), mps.resolve(program));
            }
            Path libc = Files.createDirectories(shared("lib64"));
            copy(LIBC.resolve("lib64/ld-linux-x86-64.so.2"), libc.resolve("ld-linux-x86-64.so.2"));
            copy(LIBC.resolve("lib/x86_64-linux-gnu/libc.so.6"), libc.resolve("libc.so.6"));
            for (String node : nodes) {
                Path ledger = shared("cards-" + node + ".processes");
                if (!Files.exists(ledger)) {
                    Files.createFile(ledger);
                }
                Files.setPosixFilePermissions(ledger, PosixFilePermissions.fromString("rw-rw-rw-"));
            }
            script("");
        } catch (IOException e) {
            throw new UncheckedIOException("can't copy the simulated programs of MPS", e);
        }
    }

    private void copy(Path from, Path to) throws IOException {
        Files.copy(root.resolve(from), to, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
    }

    private Path shared(String name) {
        return cluster.sharedFolder().resolve(name);
    }

    /** Sets the words that change what the control program does (nvml-binding/SIMULATED-DRIVER.md). */
    public void script(String words) {
        try {
            Path next = Files.writeString(shared("mps-script.next"), words + "\n");
            Files.move(next, shared("mps-script"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("can't write the script of the simulated control program", e);
        }
    }

    /** Installs deploy/isolation/mps.yaml, with the simulated driver and control program, and waits until it serves. */
    public void installSupervisor() {
        Kubectl kubectl = cluster.kubectl();
        kubectl.apply(kubectl.run(
                "patch",
                "--local",
                "-f",
                root.resolve("deploy/isolation/mps.yaml").toString(),
                "-o",
                "yaml",
                "--patch",
                """
                {"spec":{"template":{"spec":{
                  "containers":[{"name":"supervisor",
                    "args":["--mps-control-program=/simulated/mps/nvidia-cuda-mps-control",
                      "--nvml-library=/simulated/libnvidia-ml.so.1"],
                    "env":[{"name":"NODE_NAME","valueFrom":{"fieldRef":{"fieldPath":"spec.nodeName"}}},
                      {"name":"GPUSHARE_SIMULATED_CARDS","value":"/simulated/cards-$(NODE_NAME)"},
                      {"name":"GPUSHARE_SIMULATED_MPS","value":"/simulated/mps-script"}],
                    "$setElementOrder/env":[{"name":"NODE_NAME"},{"name":"GPUSHARE_SIMULATED_CARDS"},
                      {"name":"GPUSHARE_SIMULATED_MPS"},{"name":"NVIDIA_VISIBLE_DEVICES"},
                      {"name":"NVIDIA_DRIVER_CAPABILITIES"}],
                    "volumeMounts":[{"name":"simulated","mountPath":"/simulated"}]}],
                  "volumes":[{"name":"simulated","hostPath":{"path":"%s","type":"Directory"}}]}}}}\
                """.formatted(cluster.sharedFolder())));
        supervisorRuns();
    }

    /** Waits until every node has a supervisor that runs. */
    public void supervisorRuns() {
        int nodes = cluster.kubectl().json("get", "nodes").path("items").size();
        Await.until(
                READY,
                "a supervisor of MPS runs on every node",
                this::supervisors,
                pods -> pods.valueStream().filter(Pods::ready).count() == nodes);
    }

    /** Deletes the pods of the supervisor, which its DaemonSet replaces. */
    public void replaceSupervisor() {
        cluster.kubectl().run("-n", Installation.NAMESPACE, "delete", "pods", "-l", SUPERVISORS, "--wait=true");
        supervisorRuns();
    }

    public void removeSupervisor() {
        cluster.kubectl().run("-n", Installation.NAMESPACE, "delete", SUPERVISOR, "--ignore-not-found", "--wait=true");
        Await.until(READY, "no supervisor of MPS is left", this::supervisors, JsonNode::isEmpty);
    }

    private JsonNode supervisors() {
        return cluster.kubectl()
                .json("-n", Installation.NAMESPACE, "get", "pods", "-l", SUPERVISORS)
                .path("items");
    }

    /**
     * Patches the plugin as deploy/isolation/mps-patch.yaml does, and waits for the new pods.
     *
     * @param arguments more of its arguments
     */
    public void isolate(Installation installation, String... arguments) {
        Kubectl kubectl = cluster.kubectl();
        String patch = read("deploy/isolation/mps-patch.yaml");
        kubectl.run("-n", Installation.NAMESPACE, "patch", Installation.PLUGIN, "--patch", patch);
        arguments(installation, arguments);
    }

    /**
     * Adds arguments to those of the simulated installation; its driver's files become writable, as a real driver is.
     */
    public void arguments(Installation installation, String... arguments) {
        StringBuilder all = new StringBuilder();
        for (String argument : arguments) {
            all.append(",\"").append(argument).append('"');
        }
        cluster.kubectl()
                .run("-n", Installation.NAMESPACE, "patch", Installation.PLUGIN, "--patch", """
                    {"spec":{"template":{"spec":{
                      "containers":[{"name":"gpushare",
                        "args":["--memory-unit=GiB","--metrics-address=:9450",
                          "--nvml-library=/simulated/libnvidia-ml.so.1"%s],
                        "volumeMounts":[{"name":"simulated","mountPath":"/simulated","readOnly":false}]}]}}}}\
                    """.formatted(all));
        installation.ready(Installation.PLUGIN);
    }

    private String read(String file) {
        try {
            return Files.readString(root.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException("can't read " + file, e);
        }
    }

    /** The compute mode of that card, as NVML keeps it: 0 for all processes, 3 for one, which is the server of MPS. */
    public int mode(String node, String card) {
        return modes(cluster, node).getOrDefault(card, 0);
    }

    /** The compute modes that are not the default, by card. */
    public static Map<String, Integer> modes(Cluster cluster, String node) {
        Map<String, Integer> modes = new TreeMap<>();
        try {
            Path file = cluster.sharedFolder().resolve("cards-" + node + ".kept");
            for (String line : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
                String[] words = line.split(" ", -1);
                if (words[0].equals("mode") && !words[2].equals("0")) {
                    modes.put(words[1], Integer.valueOf(words[2]));
                }
            }
            return modes;
        } catch (IOException e) {
            throw new UncheckedIOException("can't read the compute modes of " + node, e);
        }
    }

    /**
     * The parts of a pod's manifest, in JSON, that a tenant needs beside its command. It shares the PIDs of its node,
     * because the simulated driver knows processes by the PIDs that they know themselves.
     */
    public Tenant tenant() {
        return new Tenant("""
            {"name":"NODE_NAME","valueFrom":{"fieldRef":{"fieldPath":"spec.nodeName"}}},
            {"name":"LD_LIBRARY_PATH","value":"/simulated/mps:/lib64"},
            {"name":"GPUSHARE_SIMULATED_CARDS","value":"/simulated/cards-$(NODE_NAME)"}\
            """, """
                {"name":"simulated","mountPath":"/simulated"},
                {"name":"simulated","mountPath":"/lib64","subPath":"lib64","readOnly":true}\
                """, """
                    {"name":"simulated","hostPath":{"path":"%s","type":"Directory"}}\
                    """.formatted(cluster.sharedFolder()));
    }

    /**
     * Elements of the lists {@code env}, {@code volumeMounts} and {@code volumes}; the pod needs {@code hostPID} too.
     */
    public record Tenant(String environment, String mounts, String volumes) {
        public static final String PROGRAM = "/simulated/mps/gpu-eat";
    }
}
