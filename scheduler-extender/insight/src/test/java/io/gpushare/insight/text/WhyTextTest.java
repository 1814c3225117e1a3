package io.gpushare.insight.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.insight.report.Explanation;
import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WhyTextTest {
    private static final ContainerAllocation A = holds("a", Share.memory(4));
    private static final ContainerAllocation B = holds("b", Share.WHOLE_CARD);

    @Test
    void aBoundPodHasOneCardOrSeveral() {
        assertThat(bound(A)).isEqualTo("Pod lab/p is on node n, card GPU-a.\n");
        assertThat(bound(A, B)).isEqualTo("Pod lab/p is on node n, cards GPU-a, GPU-b (whole).\n");
    }

    private static ContainerAllocation holds(String name, Share share) {
        return new ContainerAllocation(name, ContainerRole.APP, Map.of(new CardId("GPU-" + name), share));
    }

    private static String bound(ContainerAllocation... containers) {
        return WhyText.of(
                new Explanation.Bound(
                        new PodRef("uid", "lab", "p"),
                        "n",
                        null,
                        new Allocation(MemoryUnit.GIB, List.of(containers)),
                        null,
                        null),
                0);
    }
}
