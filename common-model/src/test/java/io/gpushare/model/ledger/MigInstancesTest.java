package io.gpushare.model.ledger;

import static io.gpushare.model.ledger.TestCards.instance;
import static io.gpushare.model.ledger.TestCards.instances;
import static io.gpushare.model.ledger.TestCards.memory;
import static io.gpushare.model.ledger.TestCards.pod;
import static io.gpushare.model.ledger.TestCards.whole;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.request.SelectorCodec;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MigInstancesTest {
    private static final CardId FULL = new CardId("GPU-full");
    private static final CardId LARGE = new CardId("MIG-3");
    private static final CardId SMALL = new CardId("MIG-1");
    private static final Inventory NODE = new Inventory(
            MemoryUnit.GIB,
            new Inventory.Driver("580.95.05", "13.0"),
            List.of(
                    Card.of("GPU-full", 0, Memory.ofGib(80)),
                    instance("MIG-3", 1, "3g.40gb", 39),
                    instance("MIG-1", 2, "1g.10gb+me", 9)));
    private final NodeCards node = NodeCards.of(NODE);

    @Test
    void memoryPodsShareInstancesAndFillTheSmallestFirst() {
        assertThat(cards(node, memory(9))).containsExactly(SMALL);
        assertThat(cards(node, memory(10))).containsExactly(LARGE);
        assertThat(cards(node, memory(40))).containsExactly(FULL);
    }

    @Test
    void aWholeCardPodGetsFullCardsOnly() {
        assertThat(cards(node, whole(1))).containsExactly(FULL);
        assertThat(node.refusal(whole(2))).isEqualTo(Refusal.NO_FREE_CARDS);
        NodeCards used = node.with(pod("m"), placed(node, memory(40)));
        assertThat(used.refusal(whole(1))).isEqualTo(Refusal.NO_FREE_CARDS);
    }

    @Test
    void anInstanceIsTakenWholeByItsProfileInEitherForm() {
        assertThat(cards(node, instances("3g.40gb", 1))).containsExactly(LARGE);
        assertThat(cards(node, instances("1g.10gb.me", 1))).containsExactly(SMALL);
        assertThat(node.refusal(instances("1g.10gb", 1))).isEqualTo(Refusal.NO_CARD_OF_KIND);
        assertThat(node.refusal(instances("3g.40gb", 2))).isEqualTo(Refusal.TOO_FEW_CARDS);
    }

    @Test
    void anInstanceIsLinkedWithItsMemory() {
        NodeCards taken = node.with(pod("w"), placed(node, instances("3g.40gb", 1)));
        assertThat(state(taken, LARGE).takenWhole()).isTrue();
        assertThat(cards(taken, memory(10))).containsExactly(FULL);

        NodeCards shared = node.with(pod("m"), placed(node, memory(10)));
        assertThat(shared.refusal(instances("3g.40gb", 1))).isEqualTo(Refusal.NO_FREE_INSTANCES);
        assertThat(state(shared, LARGE).free()).isEqualTo(Share.memory(29));
    }

    @Test
    void noContainerHasMemoryOfAnInstanceAndOfAnotherCard() {
        Demand split = new Demand(memory(8).containers(), 2, SelectorCodec.parse("memory >= 5Gi"));
        assertThat(node.refusal(split)).isEqualTo(Refusal.NO_CARDS_WITH_MEMORY);
    }

    @Test
    void anInstanceWhoseMemoryIsClosedCanStillBeTakenWhole() {
        NodeCards closed = NodeCards.of(new Inventory(
                NODE.unit(),
                NODE.driver(),
                NODE.cards().stream()
                        .map(card -> card.withIsolation(CardIsolation.closed("MPS is not available")))
                        .toList()));
        assertThat(closed.refusal(memory(1))).isEqualTo(Refusal.NO_CARD_WITH_MEMORY);
        assertThat(cards(closed, instances("3g.40gb", 1))).containsExactly(LARGE);
        assertThat(cards(closed, whole(1))).containsExactly(FULL);
    }

    @Test
    void selectorsKnowInstances() {
        assertThat(accepted("mig = on")).containsExactly("MIG-3", "MIG-1");
        assertThat(accepted("profile = 1g.10gb.me")).containsExactly("MIG-1");
        assertThat(accepted("profile != 3g.40gb")).containsExactly("MIG-1");
        assertThat(accepted("parent = GPU-parent, profile in (3g.40gb, 7g.80gb)"))
                .containsExactly("MIG-3");
        assertThat(accepted("uuid = MIG-3")).containsExactly("MIG-3");
        assertThat(accepted("parent != GPU-parent")).isEmpty();
    }

    private static List<String> accepted(String selector) {
        return NODE.cards().stream()
                .filter(card -> SelectorCodec.parse(selector).matches(card, NODE.driver()))
                .map(card -> card.id().uuid())
                .toList();
    }

    @Test
    void aCordonOfTheParentIsOneOfItsInstances() {
        Inventory parent = NODE.withCordoned(Set.of(new CardId("GPU-parent")));
        assertThat(parent.cards()).extracting(Card::cordoned).containsExactly(false, true, true);
        assertThat(NODE.withCordoned(Set.of(SMALL)).cards())
                .extracting(Card::cordoned)
                .containsExactly(false, false, true);
    }

    @Test
    void inventoryAndAllocationSurviveTheirTextForm() {
        assertThat(InventoryCodec.decode(Map.of(AnnotationKeys.INVENTORY, InventoryCodec.encode(NODE))))
                .isEqualTo(new Decoded.Valid<>(NODE));
        Allocation taken = placed(node, instances("3g.40gb", 1));
        assertThat(AllocationCodec.decode(Map.of(AnnotationKeys.ALLOCATION, AllocationCodec.encode(taken))))
                .isEqualTo(new Decoded.Valid<>(taken));
        assertThat(taken.container("main").orElseThrow().on(LARGE)).isEqualTo(Share.INSTANCE);
    }

    @Test
    void initContainersAndAppsTakeTheSameInstance() {
        Demand demand = new Demand(List.of(
                new ContainerDemand("init", ContainerRole.INIT, Share.INSTANCE, "3g.40gb"),
                new ContainerDemand("main", ContainerRole.APP, Share.INSTANCE, "3g.40gb")));
        assertThat(demand.wholeCards()).isEqualTo(1);
        assertThat(cards(node, demand)).containsExactly(LARGE);
    }

    private static CardState state(NodeCards node, CardId card) {
        return node.cards().stream()
                .filter(state -> state.card().id().equals(card))
                .findFirst()
                .orElseThrow();
    }

    private static Allocation placed(NodeCards node, Demand demand) {
        return ((Placement.Placed) node.place(demand)).allocation();
    }

    private static Set<CardId> cards(NodeCards node, Demand demand) {
        return placed(node, demand).cards();
    }
}
