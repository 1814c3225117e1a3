package io.gpushare.insight.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.insight.view.Why;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WhyTextTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");

    @Test
    void aBoundPodHasOneCardOrSeveral() {
        assertThat(bound(A)).isEqualTo("Pod lab/p is on node n, card GPU-a.\n");
        assertThat(bound(A, B)).isEqualTo("Pod lab/p is on node n, cards GPU-a, GPU-b (whole).\n");
    }

    private static String bound(CardId... cards) {
        return WhyText.of(new Why(
                1,
                new PodRef("uid", "lab", "p"),
                Why.State.BOUND,
                null,
                "n",
                new LinkedHashSet<>(List.of(cards)),
                null,
                null,
                null,
                Set.of(B)));
    }
}
