package io.gpushare.e2e.cluster.claims;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.SharedCluster;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How often the driver writes the slice of its node. Each write wakes every pod that waits for a device. */
@Tag("release")
class SliceWritesIT extends ClaimsScenario {
    /**
     * The driver compares every 2 s for one minute after the kubelet registered it, and then once a minute: the longer
     * form is {@code -Dgpushare.rest=130}.
     */
    private static final Duration REST = Duration.ofSeconds(Long.getLong("gpushare.rest", 30));

    private static final int PODS = 30;

    @Test
    void noneAtRestAndAtMostOneASecondUnderLoad() throws Exception {
        create("running", "share-3");
        pods.running("running");
        TimeUnit.SECONDS.sleep(3);
        JsonNode before = slice();
        TimeUnit.MILLISECONDS.sleep(REST.toMillis());
        assertThat(slice()).as("the slice after %s without a change", REST).isEqualTo(before);

        long began = System.nanoTime();
        job("short", PODS, 4);
        cluster.kubectl()
                .run(PATIENCE, "-n", "default", "wait", "job/short", "--for=condition=complete", "--timeout=1h");
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
        long writes = generation() - generation(before);
        System.out.printf(
                "claims: slices written: 0 in %d s at rest, %d in %d s with %d pods of 1 s%n",
                REST.toSeconds(), writes, seconds, PODS);
        assertThat(writes).isBetween(1L, seconds + 1);
        assertThat(slice().at("/metadata/uid")).isEqualTo(before.at("/metadata/uid"));

        cluster.kubectl().run("-n", "default", "delete", "job", "short", "--cascade=foreground");
        Await.until(PATIENCE, "one claim is left", ClaimsScenario::files, files -> files.size() == 1);
        TimeUnit.SECONDS.sleep(3);
        long healthy = generation();
        String[] cards = SharedCluster.twoT4();
        shared.installation().cards(cards[0], cards[1] + " lost");
        Await.until(
                PATIENCE, "a taint", SliceWritesIT::slice, now -> now.toString().contains("gpushare.io/unhealthy"));
        shared.installation().cards(cards);
        Await.until(
                PATIENCE,
                "no taint",
                SliceWritesIT::slice,
                now -> !now.toString().contains("taints"));
        System.out.printf("claims: a card that was lost and came back: %d writes%n", generation() - healthy);
        assertThat(generation() - healthy).isEqualTo(2);
        System.out.println("claims: " + shared.installation().sizes().strip());
    }

    private static JsonNode slice() {
        JsonNode slices = slices();
        assertThat(slices).hasSize(1);
        return slices.get(0);
    }

    private static long generation() {
        return generation(slice());
    }

    /** The API server counts the changes of the spec. */
    private static long generation(JsonNode slice) {
        return slice.at("/metadata/generation").asLong();
    }
}
