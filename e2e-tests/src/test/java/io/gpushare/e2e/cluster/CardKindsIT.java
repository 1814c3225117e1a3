package io.gpushare.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes with cards of different models and sizes, and the number of devices that a node can register. */
@Tag("release")
class CardKindsIT extends ClusterScenario {
    @Test
    void cardsOfDifferentSizeOnOneNodeOfferEachItsOwn() {
        installation.cards("card kind=L40S uuid-seed=big memory=48GiB", "card kind=A10 uuid-seed=small memory=24GiB");
        allocatable(72, 2);
        pods.createMemory("forty", 40);
        pods.running("forty");
        assertThat(indexOf(pods.sees("forty", "main")))
                .as("the large card's index")
                .isZero();
        pods.createMemory("another-forty", 40);
        pods.refused("another-forty", "Insufficient");
    }

    @Test
    void aSelectorChoosesTheCardKindAndAMistakeInItIsReportedWithItsPlace() {
        installation.cards("card kind=V100-32 uuid-seed=v", "card kind=T4 uuid-seed=t memory=15GiB");
        allocatable(47, 2);
        cluster.kubectl().apply(selecting("large", "memory >= 24Gi", 2));
        cluster.kubectl().apply(selecting("small", "model = T4", 2));
        cluster.kubectl().apply(selecting("none", "model in (A100, H100)", 2));
        cluster.kubectl().apply(selecting("wrong", "memory >= 24", 2));

        assertThat(modelOf(cardOf(pods.running("large"), "main"))).contains("V100");
        assertThat(modelOf(cardOf(pods.running("small"), "main"))).contains("T4");
        assertThat(pods.sees("small", "main")).isEqualTo(cardOf("small", "main"));
        pods.refused("none", "No GPU card matches the pod's card selection");
        pods.refused("wrong", "annotation gpushare.io/select: at character 11 ('24')");
        String events = Await.until(
                Duration.ofSeconds(10),
                "the pod's event names the place of the mistake",
                () -> events("wrong"),
                now -> now.contains("at character 11 ('24')"));
        System.out.println("e2e: " + events.strip().replaceAll("(?s).*\n", ""));
    }

    private static String selecting(String name, String selector, int units) {
        return pods.manifest(name, Map.of("gpushare.io/select", selector), Map.of("main", MEMORY + ": " + units));
    }

    private static String modelOf(String uuid) {
        return inventory()
                .valueStream()
                .filter(card -> card.path("uuid").asText().equals(uuid))
                .findFirst()
                .orElseThrow()
                .path("model")
                .asText();
    }

    @Test
    void eightCardsOf141GibRegisterUnderTheKubeletsLimit() {
        String[] eight = new String[8];
        for (int i = 0; i < 8; i++) {
            eight[i] = "card kind=H200-141 memory=141GiB uuid-seed=h" + i;
        }
        installation.cards(eight);
        allocatable(8 * 141, 8);
    }
}
