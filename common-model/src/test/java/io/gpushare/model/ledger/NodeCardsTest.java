package io.gpushare.model.ledger;

import static io.gpushare.model.ledger.TestCards.memory;
import static io.gpushare.model.ledger.TestCards.node;
import static io.gpushare.model.ledger.TestCards.pod;
import static io.gpushare.model.ledger.TestCards.whole;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.CardIsolation.CoreCap;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.NoCards;
import io.gpushare.model.card.Share;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodeCardsTest {
    private int pods;

    @Test
    void binpackTakesTheTightestCardAsGpushareDid() {
        NodeCards node = NodeCards.of(node(16, 16, 16, 16));
        node = used(node, 0, 4);
        node = used(node, 1, 8);
        node = used(node, 2, 12);
        assertThat(cardOf(node, 8)).isEqualTo("GPU-1");
        node = add(node, memory(8));
        assertThat(cardOf(node, 4)).isEqualTo("GPU-2");
        node = add(node, memory(4));
        assertThat(cardOf(node, 4)).isEqualTo("GPU-0");
        node = add(node, memory(4));
        assertThat(cardOf(node, 12)).isEqualTo("GPU-3");
        assertThat(node.place(memory(17))).isEqualTo(new Placement.Refused(Refusal.NO_CARD_WITH_MEMORY));
    }

    @Test
    void freeMemoryOnTwoCardsIsNotFreeMemoryOnOne() {
        NodeCards node = used(used(NodeCards.of(node(15, 15)), 0, 8), 1, 8);
        assertThat(node.place(memory(10))).isEqualTo(new Placement.Refused(Refusal.NO_CARD_WITH_MEMORY));
    }

    @Test
    void eachCardOffersItsOwnMemory() {
        NodeCards node = NodeCards.of(node(48, 24));
        assertThat(cardOf(node, 40)).isEqualTo("GPU-0");
        assertThat(cardOf(node, 20)).isEqualTo("GPU-1");
        assertThat(node.cards()).extracting(state -> state.free().units()).containsExactly(48, 24);
    }

    @Test
    void aCardWithoutTheIsolationThatWasAskedForIsTakenWholeOnly() {
        Inventory inventory = node(15, 15)
                .withIsolation(Map.of(new CardId("GPU-0"), CardIsolation.closed("the driver has no memory limits")));
        NodeCards node = NodeCards.of(inventory);

        assertThat(cardOf(node, 3)).isEqualTo("GPU-1");
        node = used(node, 1, 15);
        assertThat(node.place(memory(1))).isEqualTo(new Placement.Refused(Refusal.NO_CARD_WITH_MEMORY));
        assertThat(node.place(whole(1))).isInstanceOf(Placement.Placed.class);
    }

    @Test
    void whatProcessesUseBeyondTheirAllocationsIsNotFreeAndNobodyTakesTheCardWhole() {
        Inventory inventory = node(15).withForeign(Map.of(new CardId("GPU-0"), Memory.ofMib(3328)));
        NodeCards node = NodeCards.of(inventory);

        assertThat(node.cards().getFirst().free()).isEqualTo(Share.memory(11));
        assertThat(Verdict.of(memory(12), node.cards().getFirst())).isEqualTo(Obstacle.FOREIGN_USE);
        assertThat(Verdict.of(whole(1), node.cards().getFirst())).isEqualTo(Obstacle.FOREIGN_USE);
        assertThat(node.place(whole(1))).isInstanceOf(Placement.Refused.class);
        node = used(node, 0, 6);
        assertThat(node.cards().getFirst().free()).isEqualTo(Share.memory(5));
        assertThat(Verdict.of(memory(10), node.cards().getFirst())).isEqualTo(Obstacle.SHORT);
        node = used(node, 0, 5);
        assertThat(node.cards().getFirst().free()).isEqualTo(Share.NONE);

        NodeCards byClaims = NodeCards.of(inventory.withNoCards(new NoCards(NoCards.Cause.SERVES_CLAIMS)));
        assertThat(Verdict.of(memory(1), byClaims.cards().getFirst())).isEqualTo(Obstacle.FOREIGN_USE);
    }

    @Test
    void aTaintClosesACardToDemandsThatTolerateNone() {
        Inventory inventory = node(15, 15).withTaints(Map.of(new CardId("GPU-0"), "k=v:NoSchedule"));
        NodeCards node = NodeCards.of(inventory);
        CardState tainted = node.cards().getFirst();

        assertThat(tainted.free()).isEqualTo(Share.NONE);
        assertThat(Verdict.of(memory(8), tainted)).isEqualTo(Obstacle.TAINTED);
        assertThat(Verdict.of(whole(1), tainted)).isEqualTo(Obstacle.TAINTED);
        assertThat(Verdict.of(memory(8).claimed(), tainted)).isEqualTo(Obstacle.TAINTED);
        assertThat(Verdict.of(memory(8).claimedWithTolerations(), tainted)).isEqualTo(Verdict.Fits.SHARED);
        assertThat(Verdict.of(memory(16).claimedWithTolerations(), tainted)).isEqualTo(Obstacle.TOO_SMALL);
        assertThat(node.nearest(whole(2).claimedWithTolerations())).isNull();
        node = used(used(NodeCards.of(node(15, 15)), 0, 10), 1, 12).withInventory(inventory);
        assertThat(node.nearest(memory(8).claimedWithTolerations()))
                .as("of the nearest card, which is the tainted one")
                .extracting(nearest -> nearest.obstacle() + " " + nearest.amount())
                .isEqualTo("SHORT 5");
    }

    @Test
    void aCordonIsNamedBeforeATaint() {
        Inventory inventory = node(15).withTaints(Map.of(new CardId("GPU-0"), "k=v:NoSchedule"));
        CardState both = NodeCards.of(inventory.withCordoned(Set.of(new CardId("GPU-0"))))
                .cards()
                .getFirst();
        assertThat(Verdict.of(memory(1), both)).isEqualTo(Obstacle.CORDONED);
        assertThat(inventory.repaired().cards().getFirst().placeable()).isTrue();
    }

    @Test
    void inSlotsACardWithoutIsolationIsTakenWholeToo() {
        NodeCards node = NodeCards.of(node(15).withBeside(Share.slots(10))
                .withIsolation(Map.of(new CardId("GPU-0"), CardIsolation.closed("no supervisor"))));
        Demand part = new Demand(List.of(
                new ContainerDemand("c", ContainerRole.APP, Share.memory(2).plus(Share.slots(1)))));
        Demand alone = new Demand(List.of(new ContainerDemand("c", ContainerRole.APP, Share.SLOTTED_CARD)));

        assertThat(node.place(part)).isInstanceOf(Placement.Refused.class);
        assertThat(node.place(alone)).isInstanceOf(Placement.Placed.class);
        assertThat(add(node, alone).place(alone)).isInstanceOf(Placement.Refused.class);
    }

    @Test
    void aCardThatServesMemoryCantBeTakenWhole() {
        NodeCards node = add(NodeCards.of(node(15, 15)), memory(3));
        assertThat(node.place(whole(2))).isEqualTo(new Placement.Refused(Refusal.NO_FREE_CARDS));
        assertThat(placed(node, whole(1)).cards()).containsExactly(new CardId("GPU-1"));
    }

    @Test
    void aCardTakenWholeOffersNoMemory() {
        NodeCards node = add(NodeCards.of(node(15)), whole(1));
        assertThat(node.cards().getFirst().free()).isEqualTo(Share.NONE);
        assertThat(node.place(memory(1))).isEqualTo(new Placement.Refused(Refusal.NO_CARD_WITH_MEMORY));
    }

    @Test
    void allContainersOfAPodHaveTheirMemoryOnOneCard() {
        Demand demand = new Demand(List.of(
                new ContainerDemand("a", ContainerRole.APP, Share.memory(3)),
                new ContainerDemand("b", ContainerRole.APP, Share.memory(4))));
        NodeCards node = used(NodeCards.of(node(15, 15)), 0, 10);
        Allocation allocation = placed(node, demand);
        assertThat(allocation.cards()).containsExactly(new CardId("GPU-1"));
        assertThat(allocation.shareOn(new CardId("GPU-1"))).isEqualTo(Share.memory(7));
    }

    @Test
    void memoryLeavesTheCardsThatOtherContainersOfThePodNeedWhole() {
        Demand demand = new Demand(List.of(
                new ContainerDemand("share", ContainerRole.APP, Share.memory(5)),
                new ContainerDemand("train", ContainerRole.APP, Share.whole(1))));
        // Binpack would take the 8 GiB card for the memory; then the other one, in use, could not be taken whole.
        NodeCards node = used(NodeCards.of(node(16, 8)), 0, 1);
        Allocation allocation = placed(node, demand);
        assertThat(allocation.cards()).containsExactly(new CardId("GPU-0"), new CardId("GPU-1"));
        assertThat(allocation.shareOn(new CardId("GPU-0"))).isEqualTo(Share.memory(5));
        assertThat(allocation.shareOn(new CardId("GPU-1"))).isEqualTo(Share.WHOLE_CARD);
    }

    @Test
    void anInitContainersCardIsUsedAgainByTheApps() {
        Demand demand = new Demand(List.of(
                new ContainerDemand("load", ContainerRole.INIT, Share.whole(2)),
                new ContainerDemand("proxy", ContainerRole.SIDECAR, Share.whole(1)),
                new ContainerDemand("main", ContainerRole.APP, Share.whole(1))));
        assertThat(demand.total().wholeCards()).isEqualTo(2);
        Allocation allocation = placed(NodeCards.of(node(8, 8)), demand);
        assertThat(allocation.container("proxy").orElseThrow().visibleCards()).containsExactly(new CardId("GPU-0"));
        assertThat(allocation.container("main").orElseThrow().visibleCards()).containsExactly(new CardId("GPU-1"));
    }

    @Test
    void anUnhealthyCardAcceptsNoPodsAndKeepsItsOwn() {
        Inventory healthy = node(15, 15);
        NodeCards node = add(NodeCards.of(healthy), memory(4));
        Card unhealthy = healthy.cards().getFirst().withHealth(new Health.Unhealthy("Xid 79"));
        node = node.withInventory(new Inventory(
                MemoryUnit.GIB, null, List.of(unhealthy, healthy.cards().get(1))));
        assertThat(node.cards().getFirst().free().units()).isZero();
        assertThat(node.cards().getFirst().allocated().units()).isEqualTo(4);
        assertThat(cardOf(node, 4)).isEqualTo("GPU-1");
    }

    @Test
    void aUsedCardThatVanishesIsStillUsedWhenItReturns() {
        Inventory both = node(15, 15);
        NodeCards node = add(NodeCards.of(both), memory(4));
        node = node.withInventory(
                new Inventory(MemoryUnit.GIB, null, List.of(both.cards().get(1))));
        assertThat(node.cards()).hasSize(1);
        assertThat(node.withInventory(both).cards().getFirst().free().units()).isEqualTo(11);
    }

    @Test
    void overCommitmentNeverBecomesFreeMemory() {
        Inventory inventory = node(15);
        NodeCards node = add(add(NodeCards.of(inventory), memory(8)), memory(7));
        NodeCards shrunk =
                node.withInventory(new Inventory(MemoryUnit.GIB, null, List.of(Card.of("GPU-0", 0, Memory.ofGib(10)))));
        assertThat(shrunk.cards().getFirst().overCommitted()).isTrue();
        assertThat(shrunk.cards().getFirst().free().units()).isZero();
        assertThat(shrunk.place(memory(1))).isInstanceOf(Placement.Refused.class);
    }

    @Test
    void aCardWhosePodsHoldItsHeadroomOffersNothingUntilTheyHoldLess() {
        Inventory before = node(15);
        NodeCards full = add(add(NodeCards.of(before), memory(8)), memory(7));
        Inventory upgraded = before.withIsolation(
                Map.of(new CardId("GPU-0"), CardIsolation.of(Isolation.MPS).withHeadroom(Memory.ofMib(617))));

        NodeCards now = full.withInventory(upgraded);
        CardState card = now.cards().getFirst();
        assertThat(card.capacity().units()).isEqualTo(14);
        assertThat(card.overCommitted()).isTrue();
        assertThat(card.holdsHeadroom()).isTrue();
        assertThat(card.free()).isEqualTo(Share.NONE);
        assertThat(now.place(memory(1))).isInstanceOf(Placement.Refused.class);
        assertThat(now.place(whole(1))).isInstanceOf(Placement.Refused.class);

        List<String> holders =
                now.holdings().stream().map(each -> each.holder().uid()).toList();
        assertThat(now.without(holders.getFirst()).cards().getFirst().free().units())
                .isEqualTo(7);
        assertThat(now.without(holders.getLast()).cards().getFirst().free().units())
                .isEqualTo(6);
        assertThat(now.without(holders.getLast()).cards().getFirst().holdsHeadroom())
                .isFalse();
        // More than the card has is no matter of its headroom.
        Allocation forged = new Allocation(
                MemoryUnit.GIB,
                List.of(new ContainerAllocation(
                        "main", ContainerRole.APP, Map.of(new CardId("GPU-0"), Share.memory(1)))));
        assertThat(now.with(pod("forged"), forged).cards().getFirst().holdsHeadroom())
                .isFalse();
    }

    @Test
    void theCapOfAPodsCoresIsTheSumOverContainersThatRunTogether() {
        CardId id = new CardId("GPU-0");
        CardState card = NodeCards.of(node(14).withIsolation(
                                Map.of(id, CardIsolation.of(Isolation.MPS).withCoreCap(CoreCap.MEMORY))))
                .cards()
                .getFirst();
        ContainerAllocation init = new ContainerAllocation("init", ContainerRole.INIT, Map.of(id, Share.memory(10)));
        ContainerAllocation four = new ContainerAllocation("four", ContainerRole.APP, Map.of(id, Share.memory(4)));
        ContainerAllocation asking = new ContainerAllocation(
                "asks", ContainerRole.APP, Map.of(id, Share.memory(2).plus(Share.cores(5))));

        assertThat(card.coreCap(new Allocation(MemoryUnit.GIB, List.of(four)))).isEqualTo(28);
        assertThat(card.coreCap(new Allocation(MemoryUnit.GIB, List.of(four, asking))))
                .isEqualTo(33);
        assertThat(card.coreCap(new Allocation(MemoryUnit.GIB, List.of(init, four, asking))))
                .isEqualTo(71);
        CardState unlimited = NodeCards.of(mps(14)).cards().getFirst();
        assertThat(unlimited.coreCap(new Allocation(MemoryUnit.GIB, List.of(four, asking))))
                .isZero();
        assertThat(unlimited.coreCap(new Allocation(MemoryUnit.GIB, List.of(asking))))
                .isEqualTo(5);
    }

    @Test
    void unitsOfAnotherSizeAreCountedInTheNodesOwn() {
        NodeCards node = add(NodeCards.of(node(15)), memory(4));
        Inventory finer =
                new Inventory(MemoryUnit.ofMib(512), null, node.inventory().cards());
        assertThat(node.withInventory(finer).cards().getFirst().free().units()).isEqualTo(30 - 8);
    }

    @Test
    void thirtyAndFortyAndThirtyPercentOfTheCoresFitOnOneCardAndThirtyOneDoNot() {
        NodeCards node = add(add(NodeCards.of(mps(15)), cores(2, 30)), cores(2, 40));

        assertThat(node.place(cores(2, 31))).isEqualTo(new Placement.Refused(Refusal.NO_CARD_WITH_CORES));
        assertThat(node.place(cores(12, 30))).isEqualTo(new Placement.Refused(Refusal.NO_CARD_WITH_MEMORY));
        NodeCards full = add(node, cores(2, 30));
        assertThat(full.cards().getFirst().free()).isEqualTo(Share.memory(9));
        assertThat(full.place(memory(9))).isInstanceOf(Placement.Placed.class);
        assertThat(full.cards().getFirst().overCommitted()).isFalse();
        assertThat(full.place(whole(1))).isEqualTo(new Placement.Refused(Refusal.NO_FREE_CARDS));
    }

    @Test
    void coresAreOnlyOnCardsThatLimitThemAndAWholeCardHasAll() {
        Inventory mps = mps(15);
        NodeCards whole = add(NodeCards.of(mps), whole(1));
        assertThat(whole.cards().getFirst().free()).isEqualTo(Share.NONE);
        assertThat(whole.cards().getFirst().occupied().cores()).isEqualTo(100);
        for (Inventory without : List.of(
                node(15),
                mps.withBeside(Share.NONE),
                mps.withIsolation(Map.of(new CardId("GPU-0"), CardIsolation.of(Isolation.DRIVER))),
                mps.withIsolation(Map.of(new CardId("GPU-0"), CardIsolation.counted("no supervisor"))))) {
            assertThat(NodeCards.of(without).place(cores(2, 1)))
                    .isEqualTo(new Placement.Refused(Refusal.NO_CORE_LIMITS));
            assertThat(NodeCards.of(without).place(memory(2))).isInstanceOf(Placement.Placed.class);
        }
    }

    @Test
    void whereOtherCardsLimitNoCoresThoseAreLackingHoweverFullTheOthersAre() {
        NodeCards node = NodeCards.of(node(16, 16)
                .withBeside(Share.ALL_CORES)
                .withIsolation(Map.of(new CardId("GPU-0"), CardIsolation.of(Isolation.MPS))));
        Placement.Refused cores = new Placement.Refused(Refusal.NO_CARD_WITH_CORES);
        assertThat(node.place(cores(17, 30))).as("too small").isEqualTo(cores);
        assertThat(add(node, cores(12, 30)).place(cores(8, 30))).as("short").isEqualTo(cores);
        assertThat(add(node, cores(2, 80)).place(cores(8, 30))).as("few cores").isEqualTo(cores);
    }

    @Test
    void overCommittedCoresKeepNoPodAwayThatRequestsNone() {
        Allocation forged = new Allocation(
                MemoryUnit.GIB,
                List.of(new ContainerAllocation(
                        "main",
                        ContainerRole.APP,
                        Map.of(new CardId("GPU-0"), Share.memory(1).plus(Share.cores(500))))));
        NodeCards node = NodeCards.of(mps(15)).with(pod("forged"), forged);

        assertThat(node.cards().getFirst().overCommitted()).isTrue();
        assertThat(node.fits(placed(node, memory(14)))).isTrue();
        assertThat(node.place(cores(1, 1))).isEqualTo(new Placement.Refused(Refusal.NO_CARD_WITH_CORES));
    }

    /** A card with MPS on a node that offers cores. */
    private static Inventory mps(int gib) {
        return node(gib)
                .withBeside(Share.ALL_CORES)
                .withIsolation(Map.of(new CardId("GPU-0"), CardIsolation.of(Isolation.MPS)));
    }

    private static Demand cores(int units, int percent) {
        return new Demand(List.of(new ContainerDemand(
                "main", ContainerRole.APP, Share.memory(units).plus(Share.cores(percent)))));
    }

    @Test
    void anUnusedCardIsTakenBesideAUsedOneIfOnlyThatOneIsWanted() {
        NodeCards node = used(NodeCards.of(node(15, 15)), 0, 1);
        assertThat(node.place(memory(1), CardState::unused, none -> false))
                .isInstanceOfSatisfying(
                        Placement.Placed.class,
                        placed -> assertThat(placed.allocation().cards()).containsExactly(new CardId("GPU-1")));
    }

    private NodeCards used(NodeCards node, int index, int units) {
        NodeCards only = NodeCards.of(new Inventory(
                MemoryUnit.GIB, null, List.of(node.inventory().cards().get(index))));
        return node.with(pod("u" + pods++), placed(only, memory(units)));
    }

    private NodeCards add(NodeCards node, Demand demand) {
        return node.with(pod("p" + pods++), placed(node, demand));
    }

    private static String cardOf(NodeCards node, int units) {
        return placed(node, memory(units)).cards().iterator().next().uuid();
    }

    private static Allocation placed(NodeCards node, Demand demand) {
        Placement placement = node.place(demand);
        assertThat(placement).isInstanceOf(Placement.Placed.class);
        return ((Placement.Placed) placement).allocation();
    }
}
