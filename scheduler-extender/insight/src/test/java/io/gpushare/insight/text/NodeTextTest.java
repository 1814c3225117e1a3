package io.gpushare.insight.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.ClusterState.NodeView;
import io.gpushare.insight.view.NodeDetails;
import io.gpushare.insight.view.SortBy;
import io.gpushare.insight.waste.CardFigure;
import io.gpushare.insight.waste.CardUsage.CardUse;
import io.gpushare.insight.waste.CardUsage.NodeUse;
import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.CardLinks;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.MigInstance;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.NodeCards;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeTextTest {
    private static NodeView node(String name, int cards, int gib) {
        List<Card> all = new ArrayList<>();
        for (int i = 0; i < cards; i++) {
            all.add(Card.of("GPU-" + name + i, i, Memory.ofGib(gib)));
        }
        all.set(1, all.get(1).withHealth(new Health.Unhealthy("Xid 79")));
        all.set(2, cards > 4 ? all.get(2).withHeld(true) : all.get(2).withCordoned(true));
        NodeCards state = NodeCards.of(new Inventory(MemoryUnit.GIB, null, all))
                .with(new PodRef("p", "lab", "p"), allocation(name + 0, Share.memory(11)))
                .with(new PodRef("q", "lab", "q"), allocation(name + 3, Share.WHOLE_CARD));
        return new NodeView(name, "10.0.0.1", null, null, null, state);
    }

    private static Allocation allocation(String card, Share share) {
        return new Allocation(
                MemoryUnit.GIB,
                List.of(new ContainerAllocation("main", ContainerRole.APP, Map.of(new CardId("GPU-" + card), share))));
    }

    @Test
    void nodesOfEightCardsStayNarrowAndMissingCardsAreNotShown() {
        String text = NodeText.of(
                NodeDetails.of(List.of(node("gpu-a100-0000", 8, 80), node("gpu-t4-0001", 4, 15)), Map.of(), Map.of()),
                false);
        assertThat(text).isEqualTo("""
            NODE           CARDS          ALLOCATED   GiB ON EACH CARD
            gpu-a100-0000  8 x simulated  91/640 GiB  11 0! 0~ 80* 0 0 0 0
            gpu-t4-0001    4 x simulated  26/60 GiB   11 0! 0- 15*

            117 of 700 GiB allocated (16%)   ! unhealthy   ~ held   - cordoned   * taken whole

            gpu-a100-0000 GPU1: unhealthy (Xid 79), accepts no new pods
            gpu-a100-0000 GPU2: held while pods are moved away, accepts no new pods
            gpu-t4-0001 GPU1: unhealthy (Xid 79), accepts no new pods
            gpu-t4-0001 GPU2: cordoned, accepts no new pods
            """);
        assertThat(text.lines().mapToInt(String::length).max().orElseThrow()).isLessThan(100);
    }

    @Test
    void wideHasTheAddressTheLargestFreeCardAndTheUsage() {
        assertThat(NodeText.of(
                                NodeDetails.of(
                                        List.of(node("a", 4, 15)),
                                        Map.of(
                                                "a",
                                                new NodeUse(
                                                        Map.of(
                                                                "GPU-a0",
                                                                new CardUse(Map.of(CardFigure.USED_BYTES, 7L << 30))),
                                                        Map.of())),
                                        Map.of()),
                                true)
                        .lines()
                        .skip(1)
                        .findFirst()
                        .orElseThrow())
                .isEqualTo("a     4 x simulated  26/60 GiB  4 GiB             7 GiB  10.0.0.1  11 0! 0- 15*");
    }

    @Test
    void unitsOf256MibAreReadInGib() {
        NodeCards state = NodeCards.of(new Inventory(
                        MemoryUnit.ofMib(256),
                        null,
                        List.of(Card.of("GPU-0", 0, Memory.ofGib(110)), Card.of("GPU-1", 1, Memory.ofGib(80)))))
                .with(
                        new PodRef("p", "lab", "p"),
                        new Allocation(
                                MemoryUnit.ofMib(256),
                                List.of(new ContainerAllocation(
                                        "main",
                                        ContainerRole.APP,
                                        Map.of(
                                                new CardId("GPU-0"), Share.memory(55),
                                                new CardId("GPU-1"), Share.memory(96))))));
        assertThat(NodeText.of(
                        NodeDetails.of(List.of(new NodeView("a", null, null, null, null, state)), Map.of(), Map.of()),
                        false))
                .isEqualTo("""
                    NODE  CARDS          ALLOCATED     GiB ON EACH CARD
                    a     2 x simulated  37.8/190 GiB  13.8 24

                    37.8 of 190 GiB allocated (19%)
                    """);
    }

    @Test
    void instancesAreCountedTogetherUnlessWide() {
        Card full = Card.of("GPU-0", 0, Memory.ofGib(80));
        List<Card> cards = new ArrayList<>(List.of(full));
        for (int i = 1; i < 4; i++) {
            MigInstance instance =
                    new MigInstance(new CardId("GPU-1"), i == 1 ? "3g.40gb" : "1g.10gb", 0, 0, List.of());
            cards.add(new Card(
                    new CardId("MIG-" + i),
                    i,
                    1,
                    full.model(),
                    Memory.ofGib(i == 1 ? 40 : 10),
                    new Card.Details(null, null, null, true, instance)));
        }
        NodeView node =
                new NodeView("a", null, null, null, null, NodeCards.of(new Inventory(MemoryUnit.GIB, null, cards)));
        List<NodeDetails> nodes = NodeDetails.of(List.of(node), Map.of(), Map.of());
        assertThat(NodeText.of(nodes, false)).contains("\na     3 x MIG instance, 1 x simulated  0/140 GiB  0 0 0 0\n");
        assertThat(NodeText.of(nodes, true)).contains("2 x MIG 1g.10gb, 1 x MIG 3g.40gb, 1 x simulated ");
    }

    @Test
    void whoHasAWholeCardHasItsCoresWithoutWords() {
        List<Card> limited = List.of(
                Card.of("GPU-a0", 0, Memory.ofGib(15)).withIsolation(CardIsolation.of(Isolation.MPS)),
                Card.of("GPU-a1", 1, Memory.ofGib(15)).withIsolation(CardIsolation.of(Isolation.MPS)));
        NodeCards cards = NodeCards.of(
                        new Inventory(MemoryUnit.GIB, null, limited, CardLinks.UNKNOWN, null, Share.ALL_CORES))
                .with(new PodRef("p", "lab", "p"), allocation("a0", Share.WHOLE_CARD))
                .with(
                        new PodRef("q", "lab", "q"),
                        allocation("a1", Share.memory(11).plus(Share.cores(30))));
        NodeView node = new NodeView("a", null, null, null, null, cards);
        assertThat(TopText.cards(NodeDetails.of(List.of(node), Map.of(), Map.of()), SortBy.NAME, false))
                .containsPattern("(?m)^a +0 +15 GiB +15 GiB +-.* whole")
                .contains(" 11 GiB, 30% of the cores ");
    }

    /** As in gpushare's own table, which counts such a pod in the node's sum too. */
    @Test
    void inspectHasARowForAPodWhoseCardIsUnknown() {
        List<NodeDetails> nodes = NodeDetails.of(
                List.of(node("b", 4, 15)), Map.of(), Map.of("b", Map.of(new PodRef("u", "lab", "unknown"), 4L)));
        assertThat(new InspectText(nodes).details())
                .contains("GPU3(Allocated)  Pending(Allocated)")
                .containsPattern("unknown +lab +0 +0 +0 +0 +4 *\n")
                .containsPattern("Allocated : +30 \\(50%\\)");
    }

    @Test
    void memoryThatIsInUseAndNotAllocatedIsMarked() {
        Card used = Card.of("GPU-used", 0, Memory.ofGib(15)).withForeign(Memory.ofMib(3328));
        NodeView node = new NodeView(
                "n", "10.0.0.1", null, null, null, NodeCards.of(new Inventory(MemoryUnit.GIB, null, List.of(used))));
        assertThat(NodeText.of(NodeDetails.of(List.of(node), Map.of(), Map.of()), false))
                .contains("  0+\n", "+ used, not allocated", "GPU0: 3.3 GiB in use that is not allocated");
    }
}
