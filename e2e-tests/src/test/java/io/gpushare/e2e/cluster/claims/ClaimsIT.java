package io.gpushare.e2e.cluster.claims;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.ClusterScenario;
import io.gpushare.e2e.cluster.Installation;
import io.gpushare.e2e.cluster.Pods;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Cards by claims, placed by kube-scheduler alone. */
class ClaimsIT extends ClaimsScenario {
    @Test
    void podsShareACardAnotherTakesOneWholeAndTheNextOneWaits() {
        create("a", "share-3");
        String card = sees("a").split(" ", -1)[0];
        create("b", "share-6");
        create("whole", "card");
        assertThat(sees("a")).isEqualTo(card + " memory 3072 fraction " + fraction(3));
        assertThat(sees("b")).isEqualTo(card + " memory 6144 fraction " + fraction(6));
        assertThat(sees("whole")).startsWith("GPU-").doesNotContain(card).endsWith(" memory fraction");
        assertThat(files()).hasSize(3);

        create("waits", "card");
        pods.refused("waits", "cannot allocate all claims");
        pods.delete("whole");
        pods.running("waits");
    }

    /** 3 of 15 GiB, less one context of 518 MiB, of what the driver of a T4 leaves of its 15 GiB. */
    private static String fraction(int units) {
        return units == 3 ? "0.1712" : "0.3772";
    }

    @Test
    void aCardThatWasGivenTwiceIsRefusedUntilItsHolderEnds() {
        create("holder", "share-6");
        String card = sees("holder").split(" ", -1)[0];
        // As a scheduler would that counts differently.
        cluster.kubectl().apply("""
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: forged, namespace: default}
            spec:
              devices:
                requests: [{name: gpu, exactly: {deviceClassName: gpushare, capacity: {requests: {memory: 15Gi}}}}]
            """);
        cluster.kubectl()
                .run(
                        "-n",
                        "default",
                        "patch",
                        "resourceclaim",
                        "forged",
                        "--subresource=status",
                        "--type=merge",
                        "--patch",
                        """
                        {"status": {"allocation": {"allocationTimestamp": "2026-01-01T00:00:00Z", "devices": {"results": [
                          {"request": "gpu", "driver": "gpushare.io", "pool": "%s", "device": "%s",
                           "shareID": "0b9a3b1c-7a35-4c7e-9d4e-2f2d5b8f0a11", "consumedCapacity": {"memory": "15Gi"}}]}}}}
                        """.formatted(cluster.node(), card.toLowerCase(Locale.ROOT)));
        cluster.kubectl().apply(pod("second", "resourceClaimName: forged"));
        Await.until(
                PATIENCE,
                "the second pod is refused",
                () -> ClusterScenario.events(cluster, "second"),
                events -> events.contains(card + " was given twice: it is held by claim default/holder-gpu-"));
        assertThat(files()).hasSize(1);
        assertThat(Pods.ready(pods.pod("second"))).isFalse();

        pods.delete("holder");
        Await.until(PATIENCE, "the second pod runs", () -> pods.pod("second"), Pods::ready);
        assertThat(sees("second")).startsWith(card + " memory fraction");
    }

    @Test
    void aRestartOfTheDriverAndOneOfTheKubeletDisturbNoPodAndLoseNoSlice() {
        create("a", "share-3");
        JsonNode before = pods.running("a");
        cluster.kubectl().run("-n", Installation.NAMESPACE, "rollout", "restart", DRIVER);
        shared.installation().ready(DRIVER);
        create("b", "share-3");
        JsonNode second = pods.running("b");
        assertThat(files()).hasSize(2);

        cluster.restartKubelet();
        create("c", "card");
        pods.running("c");
        undisturbed(before);
        undisturbed(second);
        Await.until(
                PATIENCE,
                "the slice is there again",
                () -> cluster.kubectl().json("get", "resourceslices").path("items"),
                slices -> slices.size() == 1);
        assertThat(files()).hasSize(3);
    }
}
