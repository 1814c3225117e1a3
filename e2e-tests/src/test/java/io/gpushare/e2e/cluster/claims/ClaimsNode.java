package io.gpushare.e2e.cluster.claims;

import io.gpushare.e2e.chart.Chart;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.Cluster;
import io.gpushare.e2e.cluster.Installation;
import io.gpushare.e2e.cluster.SharedCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The shared cluster with a node that serves claims, and a kube-scheduler that knows no extender. */
final class ClaimsNode {
    static final String DRIVER = "daemonset/gpu-share-claims";
    private static final String SERVE = "gpushare.io/serve";
    private static final Duration DELETION = Duration.ofMinutes(4);

    private final SharedCluster shared;
    private final String plugin;
    private final Path manifests;

    /**
     * Installs these templates of the chart.
     *
     * @param plugin a line of the device plugin's values
     * @param values the chart's, beside those of the driver
     */
    ClaimsNode(SharedCluster shared, Path folder, String plugin, String values, List<String> templates, String... cards)
            throws IOException {
        this.shared = shared;
        this.plugin = plugin;
        Cluster cluster = shared.cluster();
        shared.installation().loadImages();
        shared.withoutPrograms();
        cluster.configureScheduler(plainScheduler(folder));
        cluster.kubectl().run("label", "nodes", "--all", "--overwrite", "gpushare=true", SERVE + "=dra");
        manifests = Files.writeString(folder.resolve("manifests.yaml"), rendered(values, "", templates));
        cluster.kubectl().run("apply", "-f", manifests.toString());
        shared.installation().useDriver(Map.of(cluster.node(), List.of(cards)));
        // The device plugin with the chart's arguments, which that has replaced.
        cluster.kubectl().run("apply", "-f", manifests.toString());
        shared.installation().ready(DRIVER);
    }

    /** A configuration of kube-scheduler without extenders: a class before may have left one with them. */
    static Path plainScheduler(Path folder) throws IOException {
        Files.writeString(folder.resolve("config-v1.yaml"), """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            clientConnection: {kubeconfig: /etc/kubernetes/scheduler.conf}
            """);
        return folder;
    }

    /**
     * The manifests with these values.
     *
     * @param arguments further ones of the device plugin, each after a comma
     */
    String rendered(String values, String arguments, List<String> templates) {
        return rendered(shared.cluster().sharedFolder(), plugin, values, arguments, templates);
    }

    /**
     * The same on any cluster.
     *
     * @param simulated the folder of the simulated driver on its nodes
     * @param plugin a line of the device plugin's values
     */
    static String rendered(Path simulated, String plugin, String values, String arguments, List<String> templates) {
        Map<String, String> rendered = Chart.templates("""
            compatibility: {gpushare: true}
            %s
            devicePlugin:
              %s
              extraArgs: [--nvml-library=/simulated/libnvidia-ml.so.1%s]
              extraEnv: [{name: GPUSHARE_SIMULATED_CARDS, value: /simulated/cards-$(NODE_NAME)}]
              extraVolumes: [{name: simulated, hostPath: {path: %s, type: Directory}}]
              extraVolumeMounts: [{name: simulated, mountPath: /simulated}]
            """.formatted(values, plugin, arguments, simulated), "1.36.2");
        return templates.stream()
                .map(template -> Objects.requireNonNull(rendered.get(template)))
                .reduce("", (all, next) -> all + "---\n" + next);
    }

    void apply(String values, String arguments, List<String> templates) {
        shared.cluster().kubectl().apply(rendered(values, arguments, templates));
    }

    /** Changes the way in which the node offers its cards. */
    void serves(boolean claims) {
        Cluster cluster = shared.cluster();
        cluster.kubectl().run("label", "node", cluster.node(), "--overwrite", SERVE + (claims ? "=dra" : "-"));
        shared.installation().ready(claims ? DRIVER : Installation.PLUGIN);
        if (claims) {
            Await.until(
                    Duration.ofMinutes(2),
                    "the node has a slice",
                    () -> cluster.kubectl().json("get", "resourceslices").path("items"),
                    slices -> !slices.isEmpty());
        }
    }

    void end() {
        Cluster cluster = shared.cluster();
        shared.pods().deleteEverything();
        cluster.kubectl().run("label", "node", cluster.node(), SERVE + "-");
        cluster.kubectl().run("delete", "--ignore-not-found", "--wait=false", "-f", manifests.toString());
        cluster.kubectl().run("-n", Installation.NAMESPACE, "delete", "--ignore-not-found", "--wait=true", DRIVER);
        // The next class installs into this namespace, which takes nothing while it is being deleted.
        cluster.kubectl().run(DELETION, "delete", "--ignore-not-found", "namespace", Installation.LEASES);
        shared.reinstallNext();
    }
}
