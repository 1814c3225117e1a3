package io.gpushare.e2e.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;

/** Both programs on a cluster as deploy/README.md installs them, but with the simulated driver on the node. */
public final class Installation {
    public static final String NAMESPACE = "kube-system";
    public static final String PLUGIN = "daemonset/gpushare-device-plugin-ds";
    public static final String EXTENDER = "deployment/gpushare-schd-extender";

    private static final Duration BUILD = Duration.ofMinutes(20);

    private final Cluster cluster;
    private final Path root;

    /** @param root the repository */
    public Installation(Cluster cluster, Path root) {
        this.cluster = cluster;
        this.root = root;
    }

    /** Builds the images, installs everything, configures kube-scheduler, and waits until both programs are ready. */
    public void install(String... cards) {
        Command.show(BUILD, List.of(root.resolve("deploy/images/build").toString()));
        cluster.loadImage(root.resolve("deploy/target/gpushare-device-plugin.tar"));
        cluster.loadImage(root.resolve("deploy/target/gpushare-scheduler-extender.tar"));
        copyDriver();
        cards(cards);
        Kubectl kubectl = cluster.kubectl();
        kubectl.run("label", "node", cluster.node(), "--overwrite", "gpushare=true");
        kubectl.run("apply", "-f", root.resolve("deploy/manifests").toString());
        kubectl.run("-n", NAMESPACE, "patch", PLUGIN, "--patch", simulatedDriver(cluster.sharedFolder()));
        cluster.configureScheduler(root.resolve("deploy/scheduler"));
        ready(PLUGIN);
        ready(EXTENDER);
    }

    /** Waits until the newest version of that program runs and is ready. */
    public void ready(String program) {
        cluster.kubectl().run("-n", NAMESPACE, "rollout", "status", program, "--timeout=55s");
    }

    /** What the simulated driver's file says from now on, one line a card (nvml-binding/SIMULATED-DRIVER.md). */
    public void cards(String... lines) {
        try {
            Path next = cluster.sharedFolder().resolve("cards.next");
            Files.writeString(next, "driver node=" + cluster.node() + "\n" + String.join("\n", lines) + "\n");
            Files.move(
                    next,
                    cluster.sharedFolder().resolve("cards"),
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("can't write the simulated cards", e);
        }
    }

    /** The manifest's container, plus what stands in for the driver that NVIDIA's runtime would bring in. */
    private static String simulatedDriver(Path folder) {
        return """
            {"spec":{"template":{"spec":{
              "containers":[{"name":"gpushare",
                "args":["--memory-unit=GiB","--nvml-library=/simulated/libnvidia-ml.so.1"],
                "env":[{"name":"GPUSHARE_SIMULATED_CARDS","value":"/simulated/cards"}],
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
