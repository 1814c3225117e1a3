package io.gpushare.e2e.cluster.claims;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.cluster.Await;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A node that moves between claims and the device plugin's resources while its pods run. */
class MovedNodeIT extends ClaimsScenario {
    @AfterEach
    void serveClaimsAgain() {
        node.serves(true);
    }

    private static String cardOf(String pod) {
        return sees(pod).split(" ", -1)[0];
    }

    @Test
    void eachCardMovesWhenItsPodsHaveEndedThereAndBack() {
        create("claims", "share-3");
        JsonNode claims = pods.running("claims");
        String first = cardOf("claims");

        node.serves(false);
        shared.awaitAllocatable(15, 1);
        assertThat(offered()).isEmpty();
        pods.createMemory("plugin", 3);
        JsonNode plugin = pods.running("plugin");
        String second = cardOf("plugin");
        assertThat(second).startsWith("GPU-").isNotEqualTo(first);
        undisturbed(claims);

        node.serves(true);
        Await.until(PATIENCE, "the first card is offered", ClaimsScenario::offered, now -> !now.isEmpty());
        assertThat(offered()).containsExactly(first.toLowerCase(Locale.ROOT));
        create("beside", "share-6");
        assertThat(cardOf("beside")).isEqualTo(first);
        create("whole", "card");
        pods.refused("whole", "cannot allocate all claims");
        undisturbed(plugin);

        pods.delete("plugin");
        assertThat(cardOf("whole")).isEqualTo(second);
        pods.delete("whole");

        node.serves(false);
        shared.awaitAllocatable(15, 1);
        undisturbed(claims);
        pods.delete("claims", "beside");
        shared.awaitAllocatable(30, 2);
        assertThat(files()).isEmpty();
    }
}
