package io.gpushare.e2e.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Installs both programs on a cluster as deploy/docs/install describes, with the simulated driver on the node. */
public final class Installation {
    public static final String NAMESPACE = "kube-system";
    /** The namespace of the device plugins' Leases. */
    public static final String LEASES = "gpushare-node-lease";

    public static final String PLUGIN = "daemonset/gpu-share-device-plugin";
    /** What serves claims in place of the plugin, on nodes with the label {@link #SERVE}{@code =dra}. */
    public static final String CLAIMS = "daemonset/gpu-share-claims";

    public static final String SERVE = "gpushare.io/serve";
    public static final String EXTENDER = "deployment/gpu-share-scheduler-extender";

    // The plugins roll out one node after the other, each a JVM on a machine that may be busy.
    private static final Duration READY = Duration.ofMinutes(3);
    private static final Duration BUILD = Duration.ofMinutes(20);
    private static final Duration WRITE = Duration.ofSeconds(60);

    // The programs are identified by their jar, which they keep open.
    private static final String RESIDENT_MEMORY = """
        for p in $(grep -l '@/app/jvm[.]args' /proc/[0-9]*/cmdline); do
          p=${p%/cmdline}
          jar=$(ls -l $p/fd | grep -oE '(device-plugin|scheduler-extender)-[0-9][^/]*jar' | head -n 1)
          [ -z "$jar" ] || echo "$jar $(grep VmRSS $p/status)"
        done\
        """;

    private final Cluster cluster;
    private final Path root;

    /** @param root the repository */
    public Installation(Cluster cluster, Path root) {
        this.cluster = cluster;
        this.root = root;
    }

    /** Builds and loads the images, and installs both programs. */
    public void install() {
        loadImages();
        apply();
    }

    /**
     * Builds both images from the jars that this build of Maven packaged, and loads them into the cluster's nodes.
     * Maven does not run again: it would replace jars that this JVM has open. Of several JVMs with clusters of their
     * own, one after the other does it.
     */
    public void loadImages() {
        Path images = root.resolve("deploy/target");
        try (FileChannel lock = FileChannel.open(
                        Files.createDirectories(images).resolve(".lock"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
                FileLock _ = lock.lock()) {
            Command.show(BUILD, List.of(root.resolve("deploy/images/build").toString(), "-k"));
            cluster.loadImage(images.resolve("gpushare-device-plugin.tar"));
            cluster.loadImage(images.resolve("gpushare-scheduler-extender.tar"));
        } catch (IOException e) {
            throw new UncheckedIOException("can't lock " + images, e);
        }
    }

    /**
     * Installs both programs from the manifests, without a driver, and waits until the extender is ready and the plugin
     * has logged why the node has no cards.
     */
    public void apply() {
        Kubectl kubectl = cluster.kubectl();
        kubectl.run("label", "nodes", "--all", "--overwrite", "gpushare=true");
        applyManifests();
        ready(EXTENDER);
        Await.until(READY, "the plugin finds no driver", this::pluginLog, log -> log.contains("no cards to offer"));
    }

    private String pluginLog() {
        try {
            return cluster.kubectl().run("-n", NAMESPACE, "logs", PLUGIN);
        } catch (Command.Failed starting) {
            return String.valueOf(starting.getMessage());
        }
    }

    public void applyManifests() {
        cluster.kubectl().run("apply", "-f", root.resolve("deploy/manifests").toString());
    }

    /** Removes both programs and their annotations on the node; the roles stay. */
    public void removePrograms() {
        Kubectl kubectl = cluster.kubectl();
        String secret = "secret/gpushare-schd-extender-tls";
        String lease = "lease/gpushare-schd-extender";
        kubectl.run("-n", NAMESPACE, "delete", "--ignore-not-found", "--wait=true", PLUGIN, EXTENDER, secret, lease);
        kubectl.run("annotate", "node", cluster.node(), "--overwrite", "gpushare.io/cordon-", "gpushare.io/inventory-");
    }

    /** Installs the simulated driver with these cards on the node, and configures the extender in kube-scheduler. */
    public void simulate(String... cards) {
        simulate(Map.of(cluster.node(), List.of(cards)));
    }

    /** Installs the simulated driver on several nodes; the lines of cards are by node. */
    public void simulate(Map<String, List<String>> cardsOfNodes) {
        useDriver(cardsOfNodes);
        cluster.configureScheduler(root.resolve("deploy/scheduler"));
        ready(PLUGIN);
    }

    /** Lets the device plugin find the simulated driver, wherever it runs now or later. */
    public void useDriver(Map<String, List<String>> cardsOfNodes) {
        copyDriver();
        cardsOfNodes.forEach(this::cards);
        cluster.kubectl().run("-n", NAMESPACE, "patch", PLUGIN, "--patch", simulatedDriver(cluster.sharedFolder()));
    }

    /** Lets both programs and kube-scheduler take requests in HAMi's words, after {@link #simulate}. */
    public void withHami(String unit) {
        withHami(unit, List.of());
    }

    /** The same, and kube-scheduler asks for MIG instances of these profiles. */
    public void withHami(String unit, List<String> profiles) {
        option(EXTENDER, "add", unit);
        // In place of the unit that simulate() set.
        option(PLUGIN, "replace", unit);
        ready(EXTENDER);
        ready(PLUGIN);
        cluster.configureScheduler(scheduler(profiles));
    }

    private void option(String program, String how, String unit) {
        String options = """
            [{"op":"%s","path":"/spec/template/spec/containers/0/args/0","value":"--memory-unit=%s"},
             {"op":"add","path":"/spec/template/spec/containers/0/args/-","value":"--hami"}]
            """.formatted(how, unit);
        cluster.kubectl().run("-n", NAMESPACE, "patch", program, "--type=json", "--patch", options);
    }

    /**
     * What deploy/scheduler/write-configuration writes for the programs as they are now, as the cluster looks for it.
     *
     * @param profiles of MIG, beyond those that nodes report now
     */
    public Path scheduler(List<String> profiles) {
        try {
            Path folder = Files.createTempDirectory(cluster.sharedFolder(), "scheduler");
            Path kubeconfig = Files.writeString(
                    folder.resolve("kubeconfig"), cluster.kubectl().run("config", "view", "--raw", "--minify"));
            List<String> command = new ArrayList<>(List.of("env", "KUBECONFIG=" + kubeconfig));
            command.addAll(
                    List.of(root.resolve("deploy/scheduler/write-configuration").toString(), folder.toString()));
            command.addAll(profiles);
            System.out.print(Command.output(WRITE, command));
            String written = Files.readString(folder.resolve("scheduler.yaml"))
                    .replace("/etc/kubernetes/gpushare", folder.toString());
            for (String name : List.of("config-v1beta1.yaml", "config-v1beta2.yaml", "config-v1.yaml")) {
                Files.writeString(folder.resolve(name), written);
            }
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException("can't write the scheduler's configuration", e);
        }
    }

    /** One line per program: the size of its image, and the resident memory of its process on the node. */
    public String sizes() {
        try {
            return "image device-plugin " + mib("device-plugin") + " MiB, image scheduler-extender "
                    + mib("scheduler-extender") + " MiB\n" + cluster.onNode("sh", "-c", RESIDENT_MEMORY);
        } catch (IOException e) {
            throw new UncheckedIOException("the images are missing in deploy/target", e);
        }
    }

    private long mib(String program) throws IOException {
        return Files.size(root.resolve("deploy/target/gpushare-" + program + ".tar")) >> 20;
    }

    /** Waits until the newest version of that program runs and is ready. */
    public void ready(String program) {
        cluster.kubectl().run(READY, "-n", NAMESPACE, "rollout", "status", program);
        if (program.equals(EXTENDER)) {
            Await.until(READY, "the Service selects a leader", this::leaders, pods -> pods.size() == 1);
        }
    }

    /** The pods with the label that the Service of the extender selects, but for those that end. */
    private List<String> leaders() {
        return cluster.kubectl()
                .json("-n", NAMESPACE, "get", "pods", "-l", "gpushare.io/leader=gpushare-schd-extender")
                .path("items")
                .valueStream()
                .filter(pod -> pod.at("/metadata/deletionTimestamp").isMissingNode())
                .map(pod -> pod.at("/metadata/name").asText())
                .toList();
    }

    /** Replaces the cards of the simulated driver, one line per card (nvml-binding/SIMULATED-DRIVER.md). */
    public void cards(String... lines) {
        cards(cluster.node(), List.of(lines));
    }

    /** Replaces the cards of the simulated driver on that node. */
    public void cards(String node, List<String> lines) {
        try {
            Path file = cluster.sharedFolder().resolve("cards-" + node);
            Path next = cluster.sharedFolder().resolve("next-" + node);
            Files.writeString(next, "driver node=" + node + "\n" + String.join("\n", lines) + "\n");
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("can't write the simulated cards", e);
        }
    }

    /**
     * A patch that mounts the simulated driver in place of the one that NVIDIA's runtime injects. A variable can refer
     * only to variables before it, hence the order.
     */
    private static String simulatedDriver(Path folder) {
        return """
            {"spec":{"template":{"spec":{
              "containers":[{"name":"gpushare",
                "args":["--memory-unit=GiB","--metrics-address=:9450",
                  "--nvml-library=/simulated/libnvidia-ml.so.1"],
                "$setElementOrder/env":[{"name":"NODE_NAME"},{"name":"GPUSHARE_SIMULATED_CARDS"}],
                "env":[{"name":"GPUSHARE_SIMULATED_CARDS","value":"/simulated/cards-$(NODE_NAME)"}],
                "volumeMounts":[{"name":"simulated","mountPath":"/simulated","readOnly":true}]}],
              "volumes":[{"name":"simulated","hostPath":{"path":"%s","type":"Directory"}}]}}}}\
            """.formatted(folder);
    }

    private void copyDriver() {
        try {
            Files.copy(
                    root.resolve("nvml-binding/target/simulated-driver/libnvidia-ml.so.1"),
                    cluster.sharedFolder().resolve("libnvidia-ml.so.1"),
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("the simulated driver is not built: run ./mvnw -pl nvml-binding package", e);
        }
    }
}
