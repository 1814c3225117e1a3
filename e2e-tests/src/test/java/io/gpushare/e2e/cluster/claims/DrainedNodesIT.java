package io.gpushare.e2e.cluster.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.Cluster;
import io.gpushare.e2e.cluster.ClusterScenario;
import io.gpushare.e2e.cluster.Installation;
import io.gpushare.e2e.cluster.LocalCluster;
import io.gpushare.e2e.cluster.Pods;
import io.gpushare.e2e.cluster.SharedCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/**
 * NVIDIA's driver is upgraded on two nodes at once, one that serves claims and one that offers resources: both are
 * paused by the label, drained, and come back.
 */
@Tag("cluster")
@Tag("release")
class DrainedNodesIT {
    private static final String LABEL = "nvidia.com/gpu.deploy.client";
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    /** Containers here are killed after a grace period of one second. */
    private static final Duration ENDED = Duration.ofSeconds(30);

    private static LocalCluster cluster;
    private static Pods pods;
    private static String claims;
    private static String resources;

    @BeforeAll
    static void install(@TempDir Path folder) throws IOException {
        assumeThat(Cluster.usesKind())
                .as("kind, whose cluster here has one node")
                .isFalse();
        cluster = LocalCluster.start(SharedCluster.ROOT);
        ClusterScenario.needs(cluster, "claims");
        claims = cluster.node();
        resources = cluster.addNode();
        pods = new Pods(cluster);
        Installation installation = new Installation(cluster, SharedCluster.ROOT);
        installation.loadImages();
        installation.applyManifests();
        installation.removePrograms();
        cluster.configureScheduler(ClaimsNode.plainScheduler(folder));
        cluster.kubectl().run("label", "nodes", "--all", "--overwrite", "gpushare=true", LABEL + "=true");
        cluster.kubectl().run("label", "node", claims, "--overwrite", Installation.SERVE + "=dra");
        String manifests = ClaimsNode.rendered(
                cluster.sharedFolder(),
                "memoryUnit: GiB",
                "dra: {enabled: true}\nisolation: {provider: none}",
                "",
                List.of("device-plugin.yaml", "dra.yaml"));
        Path file = Files.writeString(folder.resolve("manifests.yaml"), manifests);
        cluster.kubectl().run("apply", "-f", file.toString());
        installation.useDriver(
                Map.of(claims, List.of(SharedCluster.twoT4()), resources, List.of(SharedCluster.twoT4())));
        // The device plugin with the chart's arguments, which that has replaced.
        cluster.kubectl().run("apply", "-f", file.toString());
        installation.ready(Installation.CLAIMS);
        installation.ready(Installation.PLUGIN);
        template("share", "gpushare, capacity: {requests: {memory: 3Gi}}");
        template("whole", "gpushare-card");
        allOffered();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @AfterEach
    void back() {
        cluster.kubectl().run("uncordon", claims, resources);
        label("true");
        pods.deleteEverything();
    }

    @RepeatedTest(3)
    void podsOfBothNodesEndWhileNobodyHasTheDriverOpenAndTheNodesComeBack() {
        create("share");
        create("whole");
        pods.createMemory("memory", 3);
        pods.createWhole("card", 1);
        List.of("share", "whole").forEach(pod -> runs(pod, claims));
        List.of("memory", "card").forEach(pod -> runs(pod, resources));
        assertThat(open()).containsExactlyInAnyOrder(claims, resources);
        Set<String> programs = programs();

        long paused = System.nanoTime();
        label("paused-for-driver-upgrade");
        Await.until(PATIENCE, "nobody has the driver open", DrainedNodesIT::open, Set::isEmpty);
        double closed = seconds(paused);
        Await.until(PATIENCE, "no card takes claims", DrainedNodesIT::offered, cards -> cards == 0);
        Await.until(PATIENCE, "no card is a resource", DrainedNodesIT::allocatable, "0 0"::equals);
        CompletableFuture<Double> other = CompletableFuture.supplyAsync(() -> drain(resources));
        double ofClaims = drain(claims);
        double ofResources = other.join();
        assertThat(pods.all()).isEmpty();
        assertThat(cluster.onNode("sh", "-c", "ls -a /var/run/cdi")).doesNotContain("gpushare");
        assertThat(open()).as("nodes with a session after the drain").isEmpty();

        cluster.kubectl().run("uncordon", claims, resources);
        long resumed = System.nanoTime();
        label("true");
        allOffered();
        assertThat(open()).containsExactlyInAnyOrder(claims, resources);
        assertThat(programs()).as("who answers the kubelet stays").isEqualTo(programs);
        System.out.printf(
                "e2e: two nodes paused and drained: the driver was closed after %.1f s; pods of claims ended after"
                    + " %.1f s, of resources after %.1f s; all cards were offered %.1f s after the end of the pause%n",
                closed, ofClaims, ofResources, seconds(resumed));
    }

    private static void label(String value) {
        cluster.kubectl().run("label", "nodes", claims, resources, "--overwrite", LABEL + "=" + value);
    }

    private static void runs(String pod, String on) {
        assertThat(pods.running(pod).at("/spec/nodeName").asText()).isEqualTo(on);
        assertThat(pods.sees(pod, "main")).startsWith("GPU-");
    }

    /** The nodes with whose driver somebody has a session. */
    private static Set<String> open() {
        return List.of(claims, resources).stream()
                .filter(node -> DriverSessions.open(cluster, node))
                .collect(Collectors.toSet());
    }

    private static void allOffered() {
        Await.until(PATIENCE, "two cards take claims", DrainedNodesIT::offered, cards -> cards == 2);
        Await.until(PATIENCE, "two cards are resources", DrainedNodesIT::allocatable, "30 2"::equals);
    }

    private static long offered() {
        return cluster.kubectl()
                .json("get", "resourceslices")
                .path("items")
                .valueStream()
                .flatMap(slice -> slice.at("/spec/devices").valueStream())
                .filter(device -> !device.has("taints"))
                .count();
    }

    /** Memory units and cards that are resources. */
    private static String allocatable() {
        JsonNode has = cluster.kubectl().json("get", "node", resources).at("/status/allocatable");
        return has.path("aliyun.com/gpu-mem").asText() + " "
                + has.path("aliyun.com/gpu-count").asText();
    }

    /** The UIDs and restarts of the pods of the driver of claims and of the device plugin. */
    private static Set<String> programs() {
        return cluster.kubectl()
                .json(
                        "-n",
                        Installation.NAMESPACE,
                        "get",
                        "pods",
                        "-l",
                        "component in (gpu-share-claims, gpu-share-device-plugin)")
                .path("items")
                .valueStream()
                .map(pod -> pod.at("/metadata/name").asText() + " "
                        + pod.at("/metadata/uid").asText() + " "
                        + pod.at("/status/containerStatuses/0/restartCount").asText())
                .collect(Collectors.toSet());
    }

    /** Drains the node, and returns the seconds until its pods had ended. */
    private static double drain(String node) {
        long since = System.nanoTime();
        cluster.kubectl()
                .run(
                        "drain",
                        node,
                        "--force",
                        "--ignore-daemonsets",
                        "--delete-emptydir-data",
                        "--timeout=" + ENDED.toSeconds() + "s");
        return seconds(since);
    }

    private static double seconds(long since) {
        return (System.nanoTime() - since) / 1e9;
    }

    private static void template(String name, String request) {
        cluster.kubectl().apply("""
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaimTemplate
            metadata: {name: %s, namespace: default}
            spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: %s}}]}}}
            """.formatted(name, request));
    }

    /** A pod with a claim of the template of that name. */
    private static void create(String name) {
        cluster.kubectl().apply("""
            apiVersion: v1
            kind: Pod
            metadata: {name: %1$s, namespace: default}
            spec:
              terminationGracePeriodSeconds: 1
              resourceClaims: [{name: gpu, resourceClaimTemplateName: %1$s}]
              containers:
                - name: main
                  image: %2$s
                  imagePullPolicy: IfNotPresent
                  command: [sh, -c, "echo card: $NVIDIA_VISIBLE_DEVICES; exec sleep 100000"]
                  resources: {claims: [{name: gpu}]}
            """.formatted(name, cluster.workloadImage()));
    }
}
