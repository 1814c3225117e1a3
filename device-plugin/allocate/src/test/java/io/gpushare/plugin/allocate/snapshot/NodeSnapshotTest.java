package io.gpushare.plugin.allocate.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.TestPods;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NodeSnapshotTest {
    private static final CardId A = new CardId("GPU-a");
    private static final NodeSnapshot EMPTY =
            NodeSnapshot.of(new Inventory(MemoryUnit.GIB, null, List.of(Card.of("GPU-a", 0, Memory.ofGib(15)))));

    /**
     * After a restart the plugin cannot know whether the annotation was edited or the kubelet ignored the preference.
     */
    @Test
    void whereAnnotationAndDevicesDisagreeBothCardsAreHeld() {
        NodeSnapshot twoCards = NodeSnapshot.of(new Inventory(
                MemoryUnit.GIB,
                null,
                List.of(Card.of("GPU-a", 0, Memory.ofGib(15)), Card.of("GPU-b", 1, Memory.ofGib(15)))));
        NodeSnapshot snapshot = twoCards.withPod(TestPods.onCard("edited", 0, new CardId("GPU-b"), 10))
                .withListed(
                        TestLists.withDevices(
                                "edited",
                                "main",
                                IntStream.range(0, 10)
                                        .mapToObj(i -> "GPU-a::" + i)
                                        .toArray(String[]::new)),
                        TestPods.START);
        assertThat(snapshot.allocations().assigned().cards())
                .extracting(state -> state.free().units())
                .containsExactly(5, 5);
    }

    @Test
    void aBoundPodAwaitsItsCardsUntilItsCallIsAnswered() {
        NodePod waiting = TestPods.onCard("waiting", 0, A, 1);
        NodeSnapshot snapshot = EMPTY.withPod(waiting)
                .withPod(TestPods.withoutDemand("other"))
                .withPod(TestPods.ended(TestPods.onCard("ended", 0, A, 1)));
        assertThat(snapshot.awaitingCards()).containsExactly(waiting.ref());
        assertThat(snapshot.withRefused(waiting.ref().uid()).awaitingCards()).isEmpty();
        assertThat(snapshot.withAnsweredCall(new AnsweredCall(
                                waiting.ref(), TestPods.share("main", A, 1), Set.of("GPU-a::0"), TestPods.START))
                        .awaitingCards())
                .isEmpty();
    }

    /** Elsewhere the next list of the kubelet ends what is kept of a deleted pod. */
    @Test
    void aNodeThatOffersClaimsListsNothingAndKeepsNothingOfDeletedPods() {
        PodResourcesList behind = TestLists.withDevices("deleted", "main", "GPU-a::0");
        NodePod pod = TestPods.onCard("deleted", 0, A, 1);
        NodeSnapshot resources = EMPTY.withPod(pod).withoutPod(pod.ref().uid());
        NodeSnapshot claims = NodeSnapshot.unlisted(EMPTY.inventory())
                .withPod(pod)
                .withoutPod(pod.ref().uid());
        assertThat(resources.deletedPods()).isOne();
        assertThat(resources
                        .withListed(behind, TestPods.START)
                        .allocations()
                        .assigned()
                        .holdings())
                .isEmpty();
        assertThat(resources.withListed(behind, TestPods.START).deletedPods()).isOne();
        assertThat(resources.withListed(PodResourcesList.EMPTY, TestPods.START).deletedPods())
                .isZero();
        assertThat(claims.deletedPods()).isZero();
    }

    /**
     * The extender saw the deletion and gave the card to the next pod; the watch and the kubelet did not see it yet.
     */
    @Test
    void aPodThatAFreshListLacksHasNothing() {
        NodePod deleted = TestPods.onCard("deleted", 0, A, 1);
        NodePod next = TestPods.onCard("next", 1, A, 15);
        NodeSnapshot snapshot = EMPTY.withPod(deleted)
                .withPod(next)
                .withAnsweredCall(new AnsweredCall(
                        deleted.ref(), TestPods.share("main", A, 1), Set.of("GPU-a::0"), TestPods.START))
                .withListed(TestLists.withDevices("deleted", "main", "GPU-a::0"), TestPods.START);
        assertThat(snapshot.allocations().assigned().holdings()).hasSize(1);

        assertThat(snapshot.withPods(List.of(next)).allocations().assigned().holdings())
                .isEmpty();
    }
}
