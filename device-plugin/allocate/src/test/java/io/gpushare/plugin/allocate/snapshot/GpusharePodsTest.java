package io.gpushare.plugin.allocate.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.plugin.allocate.snapshot.AnnotationDifference.Kind;
import io.gpushare.plugin.allocate.snapshot.KubeletCheckpoint.NamedCard;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.TestPods;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Pods that gpushare bound, on a node of our device plugin: each holds every card that it may have. */
class GpusharePodsTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");
    private static final NodeSnapshot EMPTY = node(card(A, 0, 0), card(B, 1, 1));
    private static final NodeSnapshot SWAPPED = node(card(A, 0, 1), card(B, 1, 0));
    private static final Map<String, String> ON_B = Map.of("IDX", "1", "DEV", "15", "ASSIGNED", "false");
    private static final Map<String, String> ASSIGNED_B = Map.of("IDX", "1", "DEV", "15", "ASSIGNED", "true");

    @Test
    void aRunningPodHoldsItsCardAndIsAdopted() {
        for (NodeSnapshot snapshot : List.of(
                EMPTY.withPod(TestPods.started(TestPods.gpushare("p", 2, ON_B))),
                EMPTY.withPod(TestPods.gpushare("p", 2, ASSIGNED_B)),
                devices(EMPTY.withPod(TestPods.gpushare("p", 2, ON_B))))) {
            assertHeld(snapshot, Map.of(B, 2));
            assertThat(kinds(snapshot)).containsExactly(Kind.ADOPTED);
        }
    }

    @Test
    void onceAdoptedThePodKeepsItsCardWhateverHappensToTheAnnotation() {
        NodePod adopted = TestPods.gpushare("p", 2, ASSIGNED_B);
        adopted = allocated(adopted, new Decoded.Valid<>(TestPods.allocation(TestPods.share("main", B, 2))));
        assertHeld(devices(EMPTY.withPod(adopted)), Map.of(B, 2));
        assertThat(kinds(devices(EMPTY.withPod(adopted)))).isEmpty();

        NodePod broken = allocated(adopted, new Decoded.Malformed<>("edited"));
        assertHeld(devices(EMPTY.withPod(broken)), Map.of(B, 2));
        NodePod less = allocated(adopted, new Decoded.Valid<>(TestPods.allocation(TestPods.share("main", A, 1))));
        assertHeld(devices(EMPTY.withPod(less)), Map.of(B, 2));
        assertThat(kinds(devices(EMPTY.withPod(less)))).containsExactly(Kind.ADOPTED);
        // Without any annotation it may have either card.
        assertHeld(devices(EMPTY.withPod(TestPods.gpushare("p", 2, Map.of()))), Map.of(A, 2, B, 2));
    }

    @Test
    void theKubeletsRecordDecidesAlsoWhereAnnotationsWereEdited() {
        NodePod edited = allocated(
                TestPods.gpushare("p", 2, ASSIGNED_B),
                new Decoded.Valid<>(TestPods.allocation(TestPods.share("main", A, 2))));
        KubeletCheckpoint checkpoint = KubeletCheckpoint.of(List.of(new KubeletCheckpoint.Entry(
                edited.ref().uid(),
                "main",
                "aliyun.com/gpu-mem",
                Set.of("GPU-a-_-0", "GPU-a-_-1"),
                List.of(new NamedCard.ByIndex(1)))));
        assertHeld(devices(EMPTY.withPod(edited)), Map.of(A, 2));
        NodeSnapshot read = devices(EMPTY.withPod(edited)).withCheckpoint(checkpoint);
        assertHeld(read, Map.of(B, 2));
        assertThat(kinds(read)).containsExactly(Kind.WRONG);
    }

    @Test
    void whereMinorNumbersAndIndicesDifferBothCardsAreHeldAndNothingIsWritten() {
        NodeSnapshot snapshot = devices(SWAPPED.withPod(TestPods.gpushare("p", 2, ASSIGNED_B)));

        assertHeld(snapshot, Map.of(A, 2, B, 2));
        assertThat(kinds(snapshot)).isEmpty();
    }

    @Test
    void anIndexThatNamesNoCardHoldsAllOfThem() {
        for (String index : List.of("-1", "2", "x", "99999999999999999999")) {
            NodeSnapshot snapshot = devices(EMPTY.withPod(TestPods.gpushare("p", 2, Map.of("IDX", index))));
            assertHeld(snapshot, Map.of(A, 2, B, 2));
            assertThat(kinds(snapshot)).isEmpty();
        }
    }

    @Test
    void aNodesOnlyCardIsThatOfEveryPod() {
        NodeSnapshot one = devices(node(card(A, 0, 0)).withPod(TestPods.gpushare("p", 2, Map.of())));

        assertHeld(one, Map.of(A, 2));
        assertThat(kinds(one)).containsExactly(Kind.ADOPTED);
    }

    @Test
    void anAnnotationAloneReservesACardAndHoldsNone() {
        // The kubelet has given it no devices: it waits, whatever its annotation says.
        NodeSnapshot waiting =
                EMPTY.withPod(TestPods.gpushare("p", 2, ASSIGNED_B)).withListed(TestLists.listed("p"), TestPods.START);

        assertHeld(waiting, Map.of());
        assertThat(units(waiting.allocations().reserved())).isEqualTo(Map.of(B, 2));
        assertHeld(EMPTY.withPod(TestPods.ended(TestPods.gpushare("p", 2, ASSIGNED_B))), Map.of());
    }

    @Test
    void aPodThatAlsoRequestsWholeCardsHoldsItsMemory() {
        NodePod pod = TestPods.started(TestPods.gpushare("p", 2, ON_B));
        NodePod both = new NodePod(
                pod.ref(),
                pod.created(),
                false,
                new Decoded.Malformed<>("requests both"),
                pod.allocation(),
                pod.containers(),
                pod.admitted(),
                pod.started(),
                pod.former(),
                pod.foreign(),
                List.of(),
                Set.of());

        assertHeld(EMPTY.withPod(both), Map.of(B, 2));
        assertThat(kinds(EMPTY.withPod(both))).isEmpty();
    }

    @Test
    void aPodOfOursIsMarkedAsAssignedOnceItHasItsCard() {
        NodePod pod = allocated(
                TestPods.gpushare("p", 2, ON_B),
                new Decoded.Valid<>(TestPods.allocation(TestPods.share("main", B, 2))));
        assertThat(kinds(EMPTY.withPod(pod))).isEmpty();
        assertThat(kinds(EMPTY.withPod(pod)
                        .withListed(TestLists.withDevices("p", "main", "GPU-b::0", "GPU-b::1"), TestPods.START)))
                .containsExactly(Kind.UNASSIGNED);
    }

    /** The kubelet lists devices of gpushare's plugin for the pod; the card in their IDs is not the container's. */
    private static NodeSnapshot devices(NodeSnapshot snapshot) {
        return snapshot.withListed(TestLists.withDevices("p", "main", "GPU-a-_-0", "GPU-a-_-1"), TestPods.START);
    }

    private static NodePod allocated(NodePod pod, Decoded<Allocation> allocation) {
        return new NodePod(
                pod.ref(),
                pod.created(),
                false,
                pod.demand(),
                allocation,
                pod.containers(),
                pod.admitted(),
                pod.started(),
                pod.former(),
                pod.foreign(),
                List.of(),
                Set.of());
    }

    private static List<Kind> kinds(NodeSnapshot snapshot) {
        return AnnotationDifference.of(snapshot).stream()
                .map(AnnotationDifference::kind)
                .toList();
    }

    private static void assertHeld(NodeSnapshot snapshot, Map<CardId, Integer> units) {
        assertThat(units(snapshot.allocations().assigned())).isEqualTo(units);
    }

    private static Map<CardId, Integer> units(NodeCards cards) {
        return cards.cards().stream()
                .filter(state -> !state.unused())
                .collect(Collectors.toMap(
                        state -> state.card().id(),
                        (CardState state) -> state.allocated().units()));
    }

    private static NodeSnapshot node(Card... cards) {
        return NodeSnapshot.of(new Inventory(MemoryUnit.GIB, null, List.of(cards)));
    }

    private static Card card(CardId id, int index, int minor) {
        return new Card(id, index, minor, "Tesla T4", Memory.ofGib(15), Card.Details.UNKNOWN);
    }
}
