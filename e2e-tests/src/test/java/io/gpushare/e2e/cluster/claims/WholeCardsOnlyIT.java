package io.gpushare.e2e.cluster.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.ClusterScenario;
import io.gpushare.e2e.cluster.LocalCluster;
import io.gpushare.e2e.cluster.SharedCluster;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A Kubernetes with the feature gates of 1.34 and 1.35: its API server drops amounts and taints from slices. */
@Tag(ClaimsScenario.WITHOUT_SHARES)
@Tag("release")
class WholeCardsOnlyIT extends ClaimsScenario {
    private static final String OFF = "DRAConsumableCapacity=false,DRADeviceTaints=false,"
            + "DRAPartitionableDevices=false,DRAExtendedResource=false";

    private static boolean off;

    @BeforeAll
    static void withoutShares() {
        assumeThat(cluster).as("a cluster whose feature gates can be changed").isInstanceOf(LocalCluster.class);
        off = true;
        gates(OFF);
    }

    @AfterAll
    static void withShares() {
        if (off) {
            gates("");
        }
    }

    /** A slice that is stored keeps the fields that it has. */
    private static void gates(String gates) {
        node.serves(false);
        Await.until(PATIENCE, "no slice", ClaimsScenario::offered, Set::isEmpty);
        ((LocalCluster) cluster).featureGates(gates);
        node.serves(true);
        Await.until(PATIENCE, "two cards are offered", ClaimsScenario::offered, cards -> cards.size() == 2);
    }

    @Test
    void theDriverFindsOutOffersWholeCardsAndSaysSo() {
        System.out.println("claims: without shares: " + slices().at("/0/spec"));
        assertThat(slices().toString()).doesNotContain("allowMultipleAllocations", "requestPolicy");
        Await.until(
                PATIENCE,
                "an Event of the node",
                () -> ClusterScenario.events(cluster, cluster.node()),
                events -> events.contains("GpuSharesNotOffered")
                        && events.contains("This cluster allocates devices of ResourceSlices only whole"));

        create("whole", "card");
        String whole = sees("whole");
        assertThat(whole).startsWith("GPU-").endsWith(" memory fraction");
        // What is requested of the memory is dropped as well.
        create("share", "share-3");
        String share = sees("share");
        System.out.println("claims: without shares: " + share);
        assertThat(share).startsWith("GPU-").endsWith(" memory fraction").isNotEqualTo(whole);
        create("waits", "share-3");
        pods.refused("waits", "cannot allocate all claims");

        pods.delete("whole");
        assertThat(sees("waits")).isEqualTo(whole);
        pods.delete("waits");
        String[] cards = SharedCluster.twoT4();
        shared.installation().cards(cards[0] + " lost", cards[1] + " lost");
        Await.until(PATIENCE, "the unused card is left out", ClaimsScenario::offered, now -> now.size() == 1);
        assertThat(share).startsWithIgnoringCase(offered().iterator().next());
        shared.installation().cards(cards);
        Await.until(PATIENCE, "both are offered", ClaimsScenario::offered, now -> now.size() == 2);
    }
}
