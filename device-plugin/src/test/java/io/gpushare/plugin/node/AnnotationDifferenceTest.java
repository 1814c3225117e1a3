package io.gpushare.plugin.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Share;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.ledger.CardState;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AnnotationDifferenceTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");
    private static final NodeSnapshot EMPTY = NodeSnapshot.of(new Inventory(
            MemoryUnit.GIB,
            null,
            List.of(Card.of("GPU-a", 0, Memory.ofGib(15)), Card.of("GPU-b", 1, Memory.ofGib(15)))));
    private static final NodePod UNWRITTEN = TestPods.unwritten("p", 0, TestPods.memory("main", 2));
    private static final NodePod WRITTEN = TestPods.onCard("p", 0, A, 2);

    @Test
    void aPodWhoseAnnotationSaysWhatItHasIsNoDifference() {
        assertThat(AnnotationDifference.of(EMPTY.withPod(WRITTEN))).isEmpty();
        assertThat(AnnotationDifference.of(answered(EMPTY.withPod(WRITTEN), "p", A)))
                .isEmpty();
        assertThat(AnnotationDifference.of(listed(EMPTY.withPod(WRITTEN), "GPU-a::0", "GPU-a::1")))
                .isEmpty();
    }

    @Test
    void whatAllocateAnsweredIsTheTruthWhateverIsWritten() {
        assertThat(AnnotationDifference.of(answered(EMPTY.withPod(UNWRITTEN), "p", B)))
                .containsExactly(difference(B, AnnotationDifference.Kind.UNWRITTEN));
        assertThat(AnnotationDifference.of(answered(EMPTY.withPod(WRITTEN), "p", B)))
                .containsExactly(difference(B, AnnotationDifference.Kind.WRONG));
    }

    @Test
    void afterARestartTheDevicesTellWhatAPodHasOnWhichNothingIsWritten() {
        assertThat(AnnotationDifference.of(listed(EMPTY.withPod(UNWRITTEN), "GPU-b::0", "GPU-b::1")))
                .containsExactly(difference(B, AnnotationDifference.Kind.UNWRITTEN));
    }

    @Test
    void devicesOfSeveralCardsTellNothing() {
        assertThat(AnnotationDifference.of(listed(EMPTY.withPod(UNWRITTEN), "GPU-a::0", "GPU-b::1")))
                .isEmpty();
    }

    @Test
    void aPodIsLeftOutUntilAllItsContainersHaveTheirCards() {
        NodePod two = TestPods.unwritten("p", 0, TestPods.memory("main", 2), TestPods.memory("other", 1));
        assertThat(AnnotationDifference.of(answered(EMPTY.withPod(two), "p", A)))
                .isEmpty();
    }

    @Test
    void annotationAgainstDevicesIsToldAndNotDecided() {
        assertThat(AnnotationDifference.of(listed(EMPTY.withPod(WRITTEN), "GPU-b::0", "GPU-b::1")))
                .containsExactly(difference(A, AnnotationDifference.Kind.DOUBTFUL));
    }

    @Test
    void afterARestartAnAnnotationOfOtherAmountsThanAskedForFreesNothing() {
        NodePod forged = TestPods.written(UNWRITTEN, TestPods.allocation(TestPods.gets("main", A, 1)));
        NodeSnapshot picture = listed(EMPTY.withPod(forged), "GPU-a::0", "GPU-a::1");
        assertThat(picture.use().held().cards().getFirst().allocated().units()).isEqualTo(2);
        assertThat(AnnotationDifference.of(picture)).containsExactly(difference(A, AnnotationDifference.Kind.WRONG));
    }

    @Test
    void afterARestartWithAnotherUnitAPodHoldsWhatItHadInTheOldOne() {
        NodeSnapshot finer = NodeSnapshot.of(
                        new Inventory(MemoryUnit.ofMib(256), null, List.of(Card.of("GPU-a", 0, Memory.ofGib(15)))))
                .withPod(WRITTEN);
        NodeSnapshot picture = listed(finer, "GPU-a::0", "GPU-a::1");
        assertThat(picture.use().held().cards())
                .extracting(CardState::allocated)
                .containsExactly(Share.memory(8));
        assertThat(AnnotationDifference.of(picture)).isEmpty();
    }

    private static AnnotationDifference difference(CardId card, AnnotationDifference.Kind kind) {
        return new AnnotationDifference(TestPods.ref("p"), TestPods.allocation(TestPods.gets("main", card, 2)), kind);
    }

    private static NodeSnapshot answered(NodeSnapshot picture, String pod, CardId card) {
        return picture.withAnswer(new AnsweredCall(
                TestPods.ref(pod), TestPods.gets("main", card, 2), Set.of(card + "::0", card + "::1"), TestPods.START));
    }

    private static NodeSnapshot listed(NodeSnapshot picture, String... ids) {
        return picture.withListed(TestPods.holding("p", "main", ids), TestPods.START);
    }
}
