package io.gpushare.e2e.cluster.claims;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.Installation;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;

/**
 * NVIDIA's driver is upgraded on a node: the node is paused by its label, drained, and comes back. The GPU Operator
 * itself is not here: the label is set as its driver manager sets it.
 */
@Tag("release")
class DrainedNodeIT extends ClaimsScenario {
    private static final String LABEL = "nvidia.com/gpu.deploy.client";
    /** Containers here are killed after a grace period of one second. */
    private static final Duration ENDED = Duration.ofSeconds(30);

    private static void label(String value) {
        cluster.kubectl().run("label", "node", cluster.node(), "--overwrite", LABEL + value);
    }

    @AfterEach
    void back() {
        cluster.kubectl().run("uncordon", cluster.node());
        label("-");
        node.serves(true);
    }

    @RepeatedTest(3)
    void podsOfClaimsAndOfResourcesEndWhileTheNodeIsPausedAndTheNodeComesBack() {
        label("=true");
        create("share", "share-3");
        create("whole", "card");
        assertThat(sees("share")).startsWith("GPU-");
        assertThat(sees("whole")).startsWith("GPU-");
        assertThat(driverIsOpen()).isTrue();
        String driver = driver();

        label("=paused-for-driver-upgrade");
        Await.until(PATIENCE, "no card takes claims", ClaimsScenario::offered, Set::isEmpty);
        driverIsClosed();
        double claims = drain();
        assertThat(files()).isEmpty();
        assertThat(driver()).as("who answers the kubelet stays").isEqualTo(driver);
        create("late", "share-3");
        uncordon();
        pods.refused("late", "cannot allocate all claims");

        long resumed = System.nanoTime();
        label("=true");
        assertThat(sees("late")).startsWith("GPU-");
        double back = seconds(resumed);
        assertThat(driver()).isEqualTo(driver);
        pods.delete("late");

        node.serves(false);
        shared.awaitAllocatable(30, 2);
        pods.createMemory("memory", 3);
        pods.createWhole("card", 1);
        pods.running("memory");
        pods.running("card");
        label("=paused-for-driver-upgrade");
        shared.awaitAllocatable(0, 0);
        driverIsClosed();
        double resources = drain();
        uncordon();
        label("=true");
        shared.awaitAllocatable(30, 2);
        System.out.printf(
                "e2e: paused and drained: pods of claims ended after %.1f s, of resources after %.1f s; resumed: a pod"
                        + " with a claim ran after %.1f s%n",
                claims, resources, back);
    }

    private static boolean driverIsOpen() {
        return DriverSessions.open(cluster, cluster.node());
    }

    private static void driverIsClosed() {
        Await.until(PATIENCE, "nobody has the driver open", DrainedNodeIT::driverIsOpen, open -> !open);
    }

    private static void uncordon() {
        cluster.kubectl().run("uncordon", cluster.node());
    }

    /** The UID and restarts of the driver's pod. */
    private static String driver() {
        JsonNode pod = cluster.kubectl()
                .json("-n", Installation.NAMESPACE, "get", "pods", "-l", "component=gpu-share-claims")
                .at("/items/0");
        return pod.at("/metadata/uid").asText() + " "
                + pod.at("/status/containerStatuses/0/restartCount").asText();
    }

    /** Drains the node, and returns the seconds until its pods had ended. */
    private static double drain() {
        long since = System.nanoTime();
        cluster.kubectl()
                .run(
                        "drain",
                        cluster.node(),
                        "--force",
                        "--ignore-daemonsets",
                        "--delete-emptydir-data",
                        "--timeout=" + ENDED.toSeconds() + "s");
        assertThat(pods.all()).isEmpty();
        return seconds(since);
    }

    private static double seconds(long since) {
        return (System.nanoTime() - since) / 1e9;
    }
}
