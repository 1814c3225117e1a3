package io.gpushare.plugin.allocate.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.CardState;
import io.gpushare.plugin.allocate.snapshot.KubeletCheckpoint.NamedCard;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.TestPods;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AnnotationDifferenceTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");
    private static final NodeSnapshot EMPTY = NodeSnapshot.of(new Inventory(
            MemoryUnit.GIB,
            null,
            List.of(Card.of("GPU-a", 0, Memory.ofGib(15)), Card.of("GPU-b", 1, Memory.ofGib(15)))));
    private static final NodePod UNANNOTATED = TestPods.unannotated("p", 0, TestPods.memory("main", 2));
    private static final NodePod ANNOTATED = TestPods.onCard("p", 0, A, 2);

    @Test
    void aCorrectAnnotationIsNoDifference() {
        assertThat(found(EMPTY.withPod(ANNOTATED))).isEmpty();
        assertThat(found(answered(EMPTY.withPod(ANNOTATED), "p", A))).isEmpty();
        assertThat(found(listed(EMPTY.withPod(ANNOTATED), "GPU-a::0", "GPU-a::1")))
                .isEmpty();
    }

    @Test
    void theResponseOfAllocateOverridesTheAnnotation() {
        assertThat(found(answered(EMPTY.withPod(UNANNOTATED), "p", B)))
                .containsExactly(difference(B, AnnotationDifference.Kind.MISSING));
        assertThat(found(answered(EMPTY.withPod(ANNOTATED), "p", B)))
                .containsExactly(difference(B, AnnotationDifference.Kind.WRONG));
    }

    @Test
    void afterARestartTheDevicesNameTheCardsOfAPodWithoutAnAnnotation() {
        assertThat(found(listed(EMPTY.withPod(UNANNOTATED), "GPU-b::0", "GPU-b::1")))
                .containsExactly(difference(B, AnnotationDifference.Kind.MISSING));
    }

    @Test
    void devicesOfSeveralCardsProveNothing() {
        assertThat(found(listed(EMPTY.withPod(UNANNOTATED), "GPU-a::0", "GPU-b::1")))
                .isEmpty();
    }

    @Test
    void aPodCountsOnceAllItsContainersHaveTheirCards() {
        NodePod two = TestPods.unannotated("p", 0, TestPods.memory("main", 2), TestPods.memory("other", 1));
        assertThat(found(answered(EMPTY.withPod(two), "p", A))).isEmpty();
    }

    @Test
    void anAnnotationThatContradictsTheDevicesIsReportedAndThePodHoldsTheCardsOfBoth() {
        NodeSnapshot disputed = listed(EMPTY.withPod(ANNOTATED), "GPU-b::0", "GPU-b::1");
        assertThat(found(disputed)).containsExactly(difference(A, AnnotationDifference.Kind.UNCONFIRMED));
        assertThat(disputed.allocations().assigned().cards())
                .extracting(CardState::allocated)
                .containsExactly(Share.memory(2), Share.memory(2));
        assertThat(disputed.allocations().uncounted().cards())
                .extracting(CardState::allocated)
                .containsExactly(Share.memory(2), Share.NONE);
        assertThat(disputed.unproved()).isTrue();
    }

    @Test
    void theKubeletsRecordOfTheResponseDecides() {
        NodeSnapshot disputed = listed(EMPTY.withPod(ANNOTATED), "GPU-b::0", "GPU-b::1");
        NodeSnapshot edited = disputed.withCheckpoint(recorded(new NamedCard.ByUuid(B)));
        assertThat(found(edited)).containsExactly(difference(B, AnnotationDifference.Kind.WRONG));
        assertThat(edited.allocations().assigned().cards())
                .extracting(CardState::allocated)
                .containsExactly(Share.NONE, Share.memory(2));
        assertThat(edited.unproved()).isFalse();
        // The kubelet ignored the preferred devices, and the container has the annotated card.
        NodeSnapshot unpreferred = disputed.withCheckpoint(recorded(new NamedCard.ByIndex(0)));
        assertThat(found(unpreferred)).isEmpty();
        assertThat(unpreferred.allocations().assigned().cards())
                .extracting(CardState::allocated)
                .containsExactly(Share.memory(2), Share.NONE);
    }

    @Test
    void aRecordOfGpusharesPluginSaysWhichCardItsPodHas() {
        KubeletCheckpoint.Entry gpushares = new KubeletCheckpoint.Entry(
                "uid-p", "main", "a.com/m", Set.of("GPU-a-_-0", "GPU-a-_-1"), List.of(new NamedCard.ByIndex(1)));
        NodeSnapshot snapshot = listed(EMPTY.withPod(UNANNOTATED), "GPU-a-_-0", "GPU-a-_-1")
                .withCheckpoint(KubeletCheckpoint.of(List.of(gpushares)));
        assertThat(found(snapshot)).containsExactly(difference(B, AnnotationDifference.Kind.ADOPTED));
        // Its devices are not in our lists, but the scheduler counts them.
        assertThat(snapshot.allocations().undeviced().cards())
                .extracting(CardState::allocated)
                .containsExactly(Share.NONE, Share.memory(2));
        assertThat(snapshot.allocations().allocatedIds()).doesNotContain("GPU-a::0", "GPU-b::0");
    }

    /** The kubelet's checkpoint is lost, and gpushare's extender gives neither whole cards nor several. */
    @Test
    void aPodWithOurAllocationHasNoUnknownCard() {
        NodePod several = TestPods.annotated(
                TestPods.unannotated("p", 0, TestPods.memory("main", 2), TestPods.memory("other", 1)),
                TestPods.allocation(TestPods.share("main", A, 2), TestPods.share("other", B, 1)));
        for (NodePod pod : List.of(TestPods.whole("p", 0, A), TestPods.whole("p", 0, A, B), several, ANNOTATED)) {
            assertThat(found(listed(EMPTY.withPod(pod), "GPU-a-_-0", "GPU-a-_-1")))
                    .isEmpty();
        }
        NodePod gpushares = TestPods.gpushare("p", 2, Map.of());
        assertThat(AnnotationDifference.of(listed(EMPTY.withPod(gpushares), "GPU-a-_-0", "GPU-a-_-1")))
                .extracting(AnnotationDifference::kind)
                .containsExactly(AnnotationDifference.Kind.UNKNOWN_CARD);
    }

    @Test
    void aRecordOfAnotherAmountOrCardDecidesNothing() {
        NodeSnapshot disputed = listed(EMPTY.withPod(ANNOTATED), "GPU-b::0", "GPU-b::1");
        KubeletCheckpoint.Entry other = new KubeletCheckpoint.Entry(
                "uid-p", "main", "a.com/m", Set.of("GPU-b::0"), List.of(new NamedCard.ByUuid(B)));
        assertThat(disputed.withCheckpoint(KubeletCheckpoint.of(List.of(other))).unproved())
                .isTrue();
        assertThat(disputed.withCheckpoint(recorded(new NamedCard.ByMinor(7))).unproved())
                .isTrue();
    }

    @Test
    void afterARestartAnAnnotationWithOtherAmountsThanRequestedFreesNothing() {
        NodePod forged = TestPods.annotated(UNANNOTATED, TestPods.allocation(TestPods.share("main", A, 1)));
        NodeSnapshot snapshot = listed(EMPTY.withPod(forged), "GPU-a::0", "GPU-a::1");
        assertThat(snapshot.allocations()
                        .assigned()
                        .cards()
                        .getFirst()
                        .allocated()
                        .units())
                .isEqualTo(2);
        assertThat(found(snapshot)).containsExactly(difference(A, AnnotationDifference.Kind.WRONG));
    }

    @Test
    void afterARestartWithAnotherUnitAPodKeepsItsAmountInTheOldOne() {
        NodeSnapshot finer = NodeSnapshot.of(
                        new Inventory(MemoryUnit.ofMib(256), null, List.of(Card.of("GPU-a", 0, Memory.ofGib(15)))))
                .withPod(ANNOTATED);
        NodeSnapshot snapshot = listed(finer, "GPU-a::0", "GPU-a::1");
        assertThat(snapshot.allocations().assigned().cards())
                .extracting(CardState::allocated)
                .containsExactly(Share.memory(8));
        assertThat(found(snapshot)).isEmpty();
    }

    private static List<Map.Entry<AnnotationDifference.Kind, Allocation>> found(NodeSnapshot snapshot) {
        return AnnotationDifference.of(snapshot).stream()
                .map(each -> Map.entry(each.kind(), each.actual().orElseThrow()))
                .toList();
    }

    private static Map.Entry<AnnotationDifference.Kind, Allocation> difference(
            CardId card, AnnotationDifference.Kind kind) {
        return Map.entry(kind, TestPods.allocation(TestPods.share("main", card, 2)));
    }

    private static NodeSnapshot answered(NodeSnapshot snapshot, String pod, CardId card) {
        return snapshot.withAnsweredCall(new AnsweredCall(
                TestPods.ref(pod),
                TestPods.share("main", card, 2),
                Set.of(card + "::0", card + "::1"),
                TestPods.START));
    }

    private static KubeletCheckpoint recorded(NamedCard card) {
        return KubeletCheckpoint.of(List.of(new KubeletCheckpoint.Entry(
                "uid-p", "main", "a.com/m", Set.of("GPU-b::0", "GPU-b::1"), List.of(card))));
    }

    private static NodeSnapshot listed(NodeSnapshot snapshot, String... ids) {
        return snapshot.withListed(TestLists.withDevices("p", "main", ids), TestPods.START);
    }
}
