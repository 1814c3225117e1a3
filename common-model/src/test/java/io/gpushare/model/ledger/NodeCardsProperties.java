package io.gpushare.model.ledger;

import static io.gpushare.model.ledger.Cards.pod;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.CardId;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.Inventory;
import io.gpushare.model.MemoryUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What holds for every history of placements and releases, on mixed cards and for both resources. */
class NodeCardsProperties {
    /** One step: release the pod of that number if it is there, or place this demand. */
    record Step(boolean release, int which, Demand demand, CardOrder order) {}

    @Property
    void noCardIsEverOverAllocatedNorSharedAndWholeAtOnce(
            @ForAll("inventories") Inventory inventory, @ForAll("histories") List<Step> history) {
        NodeCards node = NodeCards.of(inventory);
        List<String> running = new ArrayList<>();
        for (Step step : history) {
            if (step.release() && !running.isEmpty()) {
                node = node.without(running.remove(step.which() % running.size()));
            } else {
                node = placeIfItFits(node, step, running);
            }
            assertThat(node.cards()).noneMatch(CardState::overused);
        }
        for (String uid : running) {
            node = node.without(uid);
        }
        assertThat(node).isEqualTo(NodeCards.of(inventory));
        assertThat(node.cards()).allMatch(CardState::unused);
    }

    @Property
    void aRefusalIsTrue(@ForAll("inventories") Inventory inventory, @ForAll("histories") List<Step> history) {
        NodeCards node = NodeCards.of(inventory);
        List<String> running = new ArrayList<>();
        for (Step step : history) {
            node = placeIfItFits(node, step, running);
        }
        for (Step step : history) {
            Demand demand = step.demand();
            if (node.place(demand, step.order()) instanceof Placement.Refused(Refusal why)) {
                long free = node.cards().stream().filter(CardState::free).count();
                boolean memoryFits = node.cards().stream().anyMatch(state -> state.freeUnits() >= demand.memoryUnits());
                switch (why) {
                    case NO_CARD_WITH_MEMORY -> assertThat(memoryFits).isFalse();
                    case NO_FREE_CARDS ->
                        assertThat(demand.cards() + (demand.memoryUnits() > 0 ? 1 : 0))
                                .isGreaterThan((int) free);
                }
            }
        }
    }

    @Property
    void aLedgerRebuiltInAnyOrderIsTheSame(
            @ForAll("inventories") Inventory inventory,
            @ForAll("histories") List<Step> history,
            @ForAll Random random) {
        NodeCards node = NodeCards.of(inventory);
        List<String> running = new ArrayList<>();
        for (Step step : history) {
            node = placeIfItFits(node, step, running);
        }
        List<NodeCards.Holding> shuffled = new ArrayList<>(node.holdings());
        Collections.shuffle(shuffled, random);
        NodeCards rebuilt = NodeCards.of(Inventory.empty(inventory.unit()));
        for (NodeCards.Holding holding : shuffled) {
            rebuilt = rebuilt.with(holding.pod(), holding.allocation());
        }
        assertThat(rebuilt.withInventory(inventory)).isEqualTo(node);
    }

    @Property
    void whateverIsWrittenFreeMemoryStaysWithinTheCard(
            @ForAll("inventories") Inventory inventory, @ForAll("forged") List<Allocation> forged) {
        NodeCards node = NodeCards.of(inventory);
        for (int i = 0; i < forged.size(); i++) {
            node = node.with(pod("forged-" + i), forged.get(i));
            for (CardState state : node.cards()) {
                assertThat(state.freeUnits()).isBetween(0, Math.max(0, state.units() - state.sharedUnits()));
            }
        }
    }

    private static NodeCards placeIfItFits(NodeCards node, Step step, List<String> running) {
        if (node.place(step.demand(), step.order()) instanceof Placement.Placed(Allocation allocation)) {
            assertThat(allocation.demand()).isEqualTo(step.demand());
            assertThat(node.fits(allocation)).isTrue();
            String uid = "pod-" + running.size() + "-" + node.holdings().size() + "-" + System.identityHashCode(step);
            running.add(uid);
            return node.with(pod(uid), allocation);
        }
        return node;
    }

    @Provide
    Arbitrary<Inventory> inventories() {
        return Arbitraries.integers()
                .between(1, 40)
                .array(int[].class)
                .ofMinSize(1)
                .ofMaxSize(8)
                .map(Cards::node);
    }

    @Provide
    Arbitrary<List<Step>> histories() {
        return Combinators.combine(
                        Arbitraries.of(true, false, false),
                        Arbitraries.integers().between(0, 50),
                        demands(),
                        Arbitraries.of(CardOrder.values()))
                .as(Step::new)
                .list()
                .ofMaxSize(40);
    }

    private static Arbitrary<Demand> demands() {
        return Combinators.combine(
                        Arbitraries.of(ContainerRole.values()),
                        Arbitraries.integers().between(1, 20),
                        Arbitraries.of(true, true, false))
                .as((role, amount, memory) ->
                        new ContainerDemand("c", role, memory ? amount : 0, memory ? 0 : 1 + amount % 3))
                .list()
                .ofMinSize(1)
                .ofMaxSize(3)
                .map(NodeCardsProperties::renamed);
    }

    private static Demand renamed(List<ContainerDemand> containers) {
        List<ContainerDemand> named = new ArrayList<>();
        List<ContainerDemand> ordered = containers.stream()
                .sorted(Comparator.comparing(container -> container.role() == ContainerRole.APP))
                .toList();
        for (ContainerDemand container : ordered) {
            named.add(new ContainerDemand(
                    "c" + named.size(), container.role(), container.memoryUnits(), container.cards()));
        }
        return new Demand(named);
    }

    @Provide
    Arbitrary<List<Allocation>> forged() {
        Arbitrary<CardId> cards = Arbitraries.integers().between(0, 9).map(i -> new CardId("GPU-" + i));
        Arbitrary<ContainerAllocation> memory = Combinators.combine(
                        cards, Arbitraries.integers().between(1, 1000))
                .as((card, units) ->
                        new ContainerAllocation("main", ContainerRole.APP, Map.of(card, units), List.of()));
        Arbitrary<ContainerAllocation> whole =
                cards.map(card -> new ContainerAllocation("main", ContainerRole.APP, Map.of(), List.of(card)));
        return Arbitraries.oneOf(memory, whole)
                .map(container -> new Allocation(MemoryUnit.GIB, List.of(container)))
                .list()
                .ofMaxSize(20);
    }
}
