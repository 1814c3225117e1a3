package io.gpushare.plugin.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Card;
import io.gpushare.model.CardId;
import io.gpushare.model.Inventory;
import io.gpushare.model.Memory;
import io.gpushare.model.MemoryUnit;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodePictureTest {
    private static final CardId A = new CardId("GPU-a");
    private static final NodePicture EMPTY =
            NodePicture.of(new Inventory(MemoryUnit.GIB, null, List.of(Card.of("GPU-a", 0, Memory.ofGib(15)))));

    /** The extender has heard that it is gone and gives its card to the next; our watch and the kubelet have not yet. */
    @Test
    void aPodThatAFreshListLacksHoldsNothing() {
        NodePod gone = Pods.onCard("gone", 0, A, 1);
        NodePod next = Pods.onCard("next", 1, A, 15);
        NodePicture picture = EMPTY.withPod(gone)
                .withPod(next)
                .withAnswer(new Answered(gone.ref(), Pods.gets("main", A, 1), Set.of("GPU-a::0"), Pods.START))
                .withListed(Pods.holding("gone", "main", "GPU-a::0"), Pods.START);
        assertThat(picture.use().held().holdings()).hasSize(1);

        assertThat(picture.withPods(List.of(next)).use().held().holdings()).isEmpty();
    }
}
