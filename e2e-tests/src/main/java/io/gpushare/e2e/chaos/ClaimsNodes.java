package io.gpushare.e2e.chaos;

import io.gpushare.e2e.chaos.check.pod.ContainerRequest;
import io.gpushare.e2e.chaos.check.pod.PodView;
import io.gpushare.e2e.cluster.ApiServer;
import io.gpushare.e2e.cluster.Installation;
import io.gpushare.e2e.cluster.LocalCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The nodes that serve claims, and what befalls them. */
final class ClaimsNodes {
    /** From this minor version of Kubernetes on kube-scheduler shares cards between claims. */
    static final int MINOR = 36;

    private static final String EVENTS = "/api/v1/namespaces/default/events?fieldSelector=involvedObject.uid=";
    private static final int MOST_UNITS = 15;
    private static final int MOST_CARDS = 2;
    private static final String MOVED = "its node offers its cards by the device plugin now: recreate the pod";

    private final LocalCluster cluster;
    private final String serving;
    private int removals;

    /** @param serving the node that serves claims, except while it is moved */
    ClaimsNodes(LocalCluster cluster, String serving) {
        this.cluster = cluster;
        this.serving = serving;
        if (cluster.minor() < MINOR) {
            throw new IllegalArgumentException("-Dgpushare.claims=true needs Kubernetes 1." + MINOR
                    + ": add -Dgpushare.kubernetes=<folder of its programs>");
        }
    }

    /**
     * Replaces the programs of the installation by those of the chart, with a driver on the node that serves claims.
     *
     * @param chart the manifests for values of the chart
     */
    void install(Installation installation, Function<String, String> chart) {
        cluster.kubectl().run("label", "node", serving, Installation.SERVE + "=dra");
        cluster.kubectl().apply(chart.apply("""
            compatibility: {gpushare: true}
            dra: {enabled: true}
            hami: {enabled: true}
            devicePlugin:
              memoryUnit: GiB
              extraArgs: [--nvml-library=/simulated/libnvidia-ml.so.1]
              extraEnv: [{name: GPUSHARE_SIMULATED_CARDS, value: /simulated/cards-$(NODE_NAME)}]
              extraVolumes: [{name: simulated, hostPath: {path: %s, type: Directory}}]
              extraVolumeMounts: [{name: simulated, mountPath: /simulated, readOnly: true}]
            """.formatted(cluster.sharedFolder())));
        Stream.concat(
                        IntStream.rangeClosed(1, MOST_UNITS).mapToObj(ContainerRequest::memory),
                        IntStream.rangeClosed(1, MOST_CARDS).mapToObj(ContainerRequest::cards))
                .map(ContainerRequest::templateManifest)
                .reduce((all, next) -> all + "---\n" + next)
                .ifPresent(templates -> cluster.kubectl().apply(templates));
        List.of(Installation.CLAIMS, Installation.PLUGIN, Installation.EXTENDER).forEach(installation::ready);
    }

    /** The nodes that serve claims before the first fault and after the last one. */
    Set<String> serving() {
        return Set.of(serving);
    }

    /**
     * Sets the label of a node, which moves it to the other way, or back.
     *
     * @return whether the API server has accepted it
     */
    boolean label(ApiServer api, String node, boolean moved) {
        String value = node.equals(serving) == moved ? "null" : "\"dra\"";
        try {
            return api.send("PATCH", "/api/v1/nodes/" + node, """
                {"metadata":{"labels":{"%s":%s}}}\
                """.formatted(Installation.SERVE, value))
                    .succeeded();
        } catch (IOException e) {
            return false;
        }
    }

    /** Removes one of the driver's sockets on that node, or both, by turns. Returns whether there was one. */
    synchronized boolean removeSockets(String node) {
        Path registration = cluster.kubeletFolder(node).resolve("plugins_registry/gpushare.io-reg.sock");
        Path service = cluster.kubeletFolder(node).resolve("plugins/gpushare.io/dra.sock");
        int turn = removals++ % 3;
        try {
            boolean first = turn != 1 && Files.deleteIfExists(registration);
            boolean second = turn != 0 && Files.deleteIfExists(service);
            return first || second;
        } catch (IOException e) {
            throw new UncheckedIOException("the driver's sockets can't be removed", e);
        }
    }

    /**
     * Whether the last Event of that pod about its claims says that it must be created again, because its node moved
     * before it got a card. On a node that has moved back it starts, when the kubelet asks the next time.
     */
    static boolean refused(ApiServer api, PodView pod) {
        try {
            boolean resources = !api.get("/api/v1/nodes/" + pod.node())
                    .body()
                    .at("/metadata/labels")
                    .path(Installation.SERVE)
                    .asText()
                    .equals("dra");
            return resources
                    && api.get(EVENTS + pod.uid())
                            .body()
                            .path("items")
                            .valueStream()
                            .filter(event -> event.path("reason").asText().equals("FailedPrepareDynamicResources"))
                            .max(Comparator.comparing(
                                    event -> event.path("lastTimestamp").asText()))
                            .filter(event -> event.path("message").asText().contains(MOVED))
                            .isPresent();
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether the pod with this uid has an Event for that reason. */
    static boolean hasEvent(ApiServer api, String uid, String reason) {
        try {
            return api.get(EVENTS + uid)
                    .body()
                    .path("items")
                    .valueStream()
                    .anyMatch(event -> event.path("reason").asText().equals(reason));
        } catch (IOException e) {
            return false;
        }
    }
}
