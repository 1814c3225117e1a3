package io.gpushare.plugin.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Card;
import io.gpushare.model.CardId;
import io.gpushare.model.Inventory;
import io.gpushare.model.Memory;
import io.gpushare.model.MemoryUnit;
import io.gpushare.model.ledger.CardState;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DifferenceTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");
    private static final NodePicture EMPTY = NodePicture.of(new Inventory(
            MemoryUnit.GIB,
            null,
            List.of(Card.of("GPU-a", 0, Memory.ofGib(15)), Card.of("GPU-b", 1, Memory.ofGib(15)))));
    private static final NodePod UNWRITTEN = Pods.unwritten("p", 0, Pods.memory("main", 2));
    private static final NodePod WRITTEN = Pods.onCard("p", 0, A, 2);

    @Test
    void aPodWhoseAnnotationSaysWhatItHasIsNoDifference() {
        assertThat(Difference.of(EMPTY.withPod(WRITTEN))).isEmpty();
        assertThat(Difference.of(answered(EMPTY.withPod(WRITTEN), "p", A))).isEmpty();
        assertThat(Difference.of(listed(EMPTY.withPod(WRITTEN), "GPU-a::0", "GPU-a::1")))
                .isEmpty();
    }

    @Test
    void whatAllocateAnsweredIsTheTruthWhateverIsWritten() {
        assertThat(Difference.of(answered(EMPTY.withPod(UNWRITTEN), "p", B)))
                .containsExactly(difference(B, Difference.Kind.UNWRITTEN));
        assertThat(Difference.of(answered(EMPTY.withPod(WRITTEN), "p", B)))
                .containsExactly(difference(B, Difference.Kind.WRONG));
    }

    @Test
    void afterARestartTheDevicesTellWhatAPodHasOnWhichNothingIsWritten() {
        assertThat(Difference.of(listed(EMPTY.withPod(UNWRITTEN), "GPU-b::0", "GPU-b::1")))
                .containsExactly(difference(B, Difference.Kind.UNWRITTEN));
    }

    @Test
    void devicesOfSeveralCardsTellNothing() {
        assertThat(Difference.of(listed(EMPTY.withPod(UNWRITTEN), "GPU-a::0", "GPU-b::1")))
                .isEmpty();
    }

    @Test
    void aPodIsLeftOutUntilAllItsContainersHaveTheirCards() {
        NodePod two = Pods.unwritten("p", 0, Pods.memory("main", 2), Pods.memory("other", 1));
        assertThat(Difference.of(answered(EMPTY.withPod(two), "p", A))).isEmpty();
    }

    @Test
    void annotationAgainstDevicesIsToldAndNotDecided() {
        assertThat(Difference.of(listed(EMPTY.withPod(WRITTEN), "GPU-b::0", "GPU-b::1")))
                .containsExactly(difference(A, Difference.Kind.DOUBTFUL));
    }

    @Test
    void afterARestartAnAnnotationOfOtherAmountsThanAskedForFreesNothing() {
        NodePod forged = Pods.written(UNWRITTEN, Pods.allocation(Pods.gets("main", A, 1)));
        NodePicture picture = listed(EMPTY.withPod(forged), "GPU-a::0", "GPU-a::1");
        assertThat(picture.use().held().cards().getFirst().sharedUnits()).isEqualTo(2);
        assertThat(Difference.of(picture)).containsExactly(difference(A, Difference.Kind.WRONG));
    }

    @Test
    void afterARestartWithAnotherUnitAPodHoldsWhatItHadInTheOldOne() {
        NodePicture finer = NodePicture.of(
                        new Inventory(MemoryUnit.ofMib(256), null, List.of(Card.of("GPU-a", 0, Memory.ofGib(15)))))
                .withPod(WRITTEN);
        NodePicture picture = listed(finer, "GPU-a::0", "GPU-a::1");
        assertThat(picture.use().held().cards())
                .extracting(CardState::sharedUnits)
                .containsExactly(8);
        assertThat(Difference.of(picture)).isEmpty();
    }

    private static Difference difference(CardId card, Difference.Kind kind) {
        return new Difference(Pods.ref("p"), Pods.allocation(Pods.gets("main", card, 2)), kind);
    }

    private static NodePicture answered(NodePicture picture, String pod, CardId card) {
        return picture.withAnswer(new Answered(
                Pods.ref(pod), Pods.gets("main", card, 2), Set.of(card + "::0", card + "::1"), Pods.START));
    }

    private static NodePicture listed(NodePicture picture, String... ids) {
        return picture.withListed(Pods.holding("p", "main", ids), Pods.START);
    }
}
