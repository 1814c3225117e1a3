package io.gpushare.model.ledger;

import static io.gpushare.model.ledger.TestCards.pod;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.request.SelectorCodec;
import io.gpushare.model.selector.CardSelector;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.statistics.Statistics;

/** Properties of every history of placements and releases, on mixed cards and for both resources. */
class NodeCardsProperties {
    private static final List<String> PROFILES = List.of("1g.10gb", "3g.40gb");

    /** One step: release one of the running pods, or place the demand. */
    record Step(boolean release, int which, Demand demand, int cards) {
        /** Whether the step may take the card. */
        boolean takes(CardState state) {
            return (cards >> state.card().index() & 1) == 1;
        }
    }

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
            assertThat(node.cards())
                    .hasSameSizeAs(inventory.cards())
                    .noneMatch(CardState::overCommitted)
                    .allMatch(state ->
                            state.allocated().slots() <= state.capacity().slots());
        }
        for (String uid : running) {
            node = node.without(uid);
        }
        assertThat(node).isEqualTo(NodeCards.of(inventory));
        assertThat(node.cards()).hasSameSizeAs(inventory.cards()).allMatch(CardState::unused);
    }

    @Property
    void everyRefusalIsCorrect(@ForAll("inventories") Inventory inventory, @ForAll("histories") List<Step> history) {
        NodeCards node = NodeCards.of(inventory);
        List<String> running = new ArrayList<>();
        for (Step step : history) {
            node = placeIfItFits(node, step, running);
        }
        for (Step step : history) {
            Demand demand = step.demand();
            // A container with cards of its own may be refused because of those before it.
            if (demand.parts().size() == 1 && node.place(demand) instanceof Placement.Refused(Refusal why)) {
                Statistics.collect(why);
                List<CardState> allowed = node.cards().stream()
                        .filter(state -> demand.selector().matches(state.card(), null))
                        .toList();
                long free = allowed.stream()
                        .filter(state -> state.offers(demand.wholeShare()))
                        .count();
                long withMemory = allowed.stream()
                        .filter(state -> shareable(state, demand))
                        .count();
                int memory = demand.sharedCards();
                switch (why) {
                    case NO_CARD_WITH_MEMORY, NO_CARDS_WITH_MEMORY ->
                        assertThat(withMemory).isLessThan(memory);
                    case NO_CARD_WITH_CORES -> {
                        assertThat(withMemory).isZero();
                        // Other pods have the cores, or those cards that limit cores are too small.
                        assertThat(allowed)
                                .anyMatch(state -> state.offers(demand.share()
                                                .without(ShareKind.SLOTS)
                                                .withoutPercents())
                                        || !state.limits(ShareKind.CORES));
                    }
                    case NO_CARD_WITH_SLOTS -> {
                        assertThat(withMemory).isZero();
                        assertThat(allowed)
                                .anyMatch(state -> demand.share()
                                        .without(ShareKind.SLOTS)
                                        .on(state.capacity())
                                        .fits(state.free()));
                    }
                    case NO_SLOTS -> {
                        assertThat(demand.slotted()).isTrue();
                        assertThat(allowed)
                                .isNotEmpty()
                                .allMatch(state -> state.capacity().slots() == 0);
                    }
                    case NO_CORE_LIMITS -> {
                        assertThat(demand.total().cores()).isPositive();
                        assertThat(allowed).isNotEmpty().noneMatch(state -> state.limits(ShareKind.CORES));
                    }
                    case NO_FREE_CARDS, NO_FREE_INSTANCES ->
                        assertThat(memory + demand.wholeCards()).isGreaterThan((int) free);
                    case NO_CARD_OF_KIND -> assertThat(allowed).isEmpty();
                    case TOO_FEW_CARDS ->
                        assertThat(memory + demand.wholeCards()).isGreaterThan(allowed.size());
                }
            }
        }
        Statistics.coverage(coverage -> {
            for (Refusal why : Refusal.values()) {
                coverage.check(why).count(count -> count > 0);
            }
        });
    }

    /** MPS and MIG instances serve no pod with memory of several cards. */
    private static boolean shareable(CardState state, Demand demand) {
        return state.offers(demand.share())
                && (demand.split() == 1
                        || (state.card().isolation().inForce() != Isolation.MPS
                                && !state.card().id().instance()));
    }

    @Property
    void placeFindsEveryDemandThatFits(
            @ForAll("inventories") Inventory inventory, @ForAll("histories") List<Step> history) {
        NodeCards node = NodeCards.of(inventory);
        List<String> running = new ArrayList<>();
        for (Step step : history) {
            node = placeIfItFits(node, step, running);
        }
        for (Step step : history) {
            Placement placement = node.place(step.demand());
            if (step.demand().parts().size() == 1) {
                assertThat(placement instanceof Placement.Placed).isEqualTo(couldBePlaced(node, step.demand()));
            }
            assertThat(node.refusal(step.demand()))
                    .isEqualTo(placement instanceof Placement.Refused(Refusal why) ? why : null);
        }
    }

    /** Tries every set of cards to share. */
    private static boolean couldBePlaced(NodeCards node, Demand demand) {
        List<CardState> cards = node.cards();
        int memory = demand.sharedCards();
        for (int set = 0; set < 1 << cards.size(); set++) {
            int chosen = set;
            int free = 0;
            boolean fits = Integer.bitCount(set) == memory;
            for (int i = 0; i < cards.size(); i++) {
                CardState state = cards.get(i);
                boolean allowed = demand.selector().matches(state.card(), null);
                if ((chosen >> i & 1) == 1) {
                    fits &= allowed && shareable(state, demand);
                } else if (allowed && state.offers(demand.wholeShare())) {
                    free++;
                }
            }
            if (fits && free >= demand.wholeCards()) {
                return true;
            }
        }
        return false;
    }

    @Property
    void aLedgerRebuiltInAnyOrderIsEqual(
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
            rebuilt = rebuilt.with(holding.holder(), holding.allocation());
        }
        assertThat(rebuilt.withInventory(inventory)).isEqualTo(node);
    }

    @Property
    void forgedAllocationsNeverIncreaseTheFreeShare(
            @ForAll("inventories") Inventory inventory, @ForAll("forged") List<Allocation> forged) {
        NodeCards node = NodeCards.of(inventory);
        for (int i = 0; i < forged.size(); i++) {
            node = node.with(pod("forged-" + i), forged.get(i));
            for (CardState state : node.cards()) {
                Share left = state.capacity().minus(state.allocated());
                assertThat(state.free().fits(left)).as("%s", state).isTrue();
            }
        }
    }

    /** Pods are added, replaced with other allocations, and removed. */
    @Property
    void allocatedIsTheSumOfTheHoldings(
            @ForAll("inventories") Inventory inventory,
            @ForAll("forged") List<Allocation> forged,
            @ForAll Random random) {
        NodeCards node = NodeCards.of(inventory);
        for (Allocation allocation : forged) {
            String uid = "pod-" + random.nextInt(6);
            node = random.nextInt(4) == 0 ? node.without(uid) : node.with(pod(uid), allocation);
            NodeCards rebuilt =
                    node.withInventory(Inventory.empty(MemoryUnit.GIB)).withInventory(inventory);
            assertThat(node.cards()).isEqualTo(rebuilt.cards());
            assertThat(node.cards().stream()
                            .mapToLong(state -> state.allocated().wholeCards()
                                    + (state.allocated().hasPart() ? 1 : 0))
                            .sum())
                    .isLessThanOrEqualTo(node.holdings().size());
        }
    }

    private static NodeCards placeIfItFits(NodeCards node, Step step, List<String> running) {
        if (node.place(step.demand(), step::takes, step::takes) instanceof Placement.Placed(Allocation allocation)) {
            assertThat(node.cards())
                    .filteredOn(
                            state -> allocation.cards().contains(state.card().id()))
                    .isNotEmpty()
                    .allMatch(step::takes);
            assertThat(allocation.gives(step.demand())).isTrue();
            assertSplitEvenlyOverAcceptedCards(node, step.demand(), allocation);
            assertThat(node.fits(allocation)).isTrue();
            String uid = "pod-" + running.size() + "-" + node.holdings().size() + "-" + System.identityHashCode(step);
            running.add(uid);
            return node.with(pod(uid), allocation);
        }
        return node;
    }

    private static void assertSplitEvenlyOverAcceptedCards(NodeCards node, Demand demand, Allocation allocation) {
        assertThat(allocation.cards().stream()
                        .map(id -> node.inventory().card(id).orElseThrow()))
                .allMatch(card -> demand.selector().matches(card, null));
        Set<CardId> shared = new HashSet<>();
        for (ContainerAllocation container : allocation.containers()) {
            if (container.total().takenWhole() == 0) {
                int slots = container.total().slots();
                assertThat(container.visibleCards()).hasSize(slots == 0 ? demand.split() : slots);
                assertRequested(node, demand, container);
                shared.addAll(container.visibleCards());
            }
        }
        if (demand.parts().size() == 1) {
            assertThat(shared).hasSize(demand.sharedCards());
        }
    }

    private static void assertRequested(NodeCards node, Demand demand, ContainerAllocation container) {
        Share each = demand.containers().stream()
                .filter(requesting -> requesting.name().equals(container.name()))
                .findFirst()
                .orElseThrow()
                .onEach(container.shares().size());
        assertThat(container.shares())
                .allSatisfy((id, share) -> assertThat(share)
                        .isEqualTo(each.on(node.inventory()
                                .capacityOf(node.inventory().card(id).orElseThrow()))));
    }

    @Provide
    Arbitrary<Inventory> inventories() {
        Arbitrary<Inventory> nodes = Arbitraries.integers()
                .between(1, 40)
                .array(int[].class)
                .ofMinSize(1)
                .ofMaxSize(8)
                .map(TestCards::node);
        Arbitrary<Inventory> cut =
                Combinators.combine(nodes, Arbitraries.of(0, 0b00100110, -1)).as(NodeCardsProperties::cut);
        // Of the cards of some nodes all, some or none have MPS.
        return Combinators.combine(
                        cut,
                        Arbitraries.of(Share.NONE, Share.ALL_CORES)
                                .flatMap(cores ->
                                        Arbitraries.of(0, 1, 1, 1, 2).map(slots -> cores.plus(Share.slots(slots)))),
                        Arbitraries.of(0, 0, 0b10110101, -1),
                        Arbitraries.of(0, 0, 0b00010010),
                        Arbitraries.of(0, 0, 0b01000001))
                .as((node, beside, mps, closed, unhealthy) ->
                        withUnhealthy(node, unhealthy).withBeside(beside).withIsolation(isolation(node, mps, closed)));
    }

    /** The node with MIG instances in these places. */
    private static Inventory cut(Inventory node, int places) {
        return new Inventory(
                node.unit(),
                node.driver(),
                node.cards().stream()
                        .map(card -> (places >> card.index() & 1) == 0
                                ? card
                                : TestCards.instance(
                                        "MIG-" + card.index(), card.index(), PROFILES.get(card.index() % 2), (int)
                                                (card.memory().mib() / 1024)))
                        .toList());
    }

    private static Map<CardId, CardIsolation> isolation(Inventory node, int mps, int closed) {
        Map<CardId, CardIsolation> isolation = new HashMap<>();
        for (Card card : node.cards()) {
            if ((closed >> card.index() & 1) == 1) {
                isolation.put(card.id(), CardIsolation.closed("no driver for it"));
            } else if ((mps >> card.index() & 1) == 1) {
                isolation.put(card.id(), CardIsolation.of(Isolation.MPS));
            }
        }
        return isolation;
    }

    private static Inventory withUnhealthy(Inventory node, int cards) {
        return new Inventory(
                node.unit(),
                node.driver(),
                node.cards().stream()
                        .map(card -> (cards >> card.index() & 1) == 1
                                ? card.withHealth(new Health.Unhealthy("Xid 79"))
                                : card)
                        .toList());
    }

    @Provide
    Arbitrary<List<Step>> histories() {
        return Combinators.combine(
                        Arbitraries.of(true, false, false),
                        Arbitraries.integers().between(0, 50),
                        demands(),
                        Arbitraries.integers().between(0, 15))
                .as(Step::new)
                .list()
                .ofMaxSize(40);
    }

    private static Arbitrary<Demand> demands() {
        Arbitrary<CardSelector> selectors = Arbitraries.of(
                        "",
                        "",
                        "",
                        "memory >= 16Gi",
                        "memory < 16Gi",
                        "uuid in (GPU-0, GPU-2, GPU-3)",
                        "memory > 41Gi",
                        "mig != on")
                .map(SelectorCodec::parse);
        Arbitrary<Demand> slotted = Combinators.combine(slottedContainers(), selectors)
                .as((demand, selector) -> new Demand(demand.containers(), 1, selector));
        Arbitrary<Demand> sharing = Combinators.combine(containers(), Arbitraries.of(1, 1, 1, 2, 3), selectors)
                .as((demand, split, selector) -> new Demand(
                        demand.containers().stream()
                                .map(container -> new ContainerDemand(
                                        container.name(),
                                        container.role(),
                                        split == 1
                                                ? container.request()
                                                : container
                                                        .request()
                                                        .withoutPercents()
                                                        .withUnits(container
                                                                        .request()
                                                                        .units()
                                                                * split)))
                                .toList(),
                        split,
                        selector));
        Arbitrary<Demand> instances = Combinators.combine(instanceContainers(), selectors)
                .as((demand, selector) -> new Demand(demand.containers(), 1, selector));
        return Arbitraries.frequencyOf(Tuple.of(2, sharing), Tuple.of(2, slotted), Tuple.of(1, instances));
    }

    /** Containers that take MIG instances of one profile whole. */
    private static Arbitrary<Demand> instanceContainers() {
        return Arbitraries.of(PROFILES)
                .flatMap(profile -> Combinators.combine(
                                Arbitraries.of(ContainerRole.values()), Arbitraries.of(1, 1, 2, 3))
                        .as((role, number) -> new ContainerDemand("c", role, Share.instances(number), profile))
                        .list()
                        .ofMinSize(1)
                        .ofMaxSize(3)
                        .map(NodeCardsProperties::renamed));
    }

    /** Containers with slots: a part of each card in units or in percent, or whole cards. */
    private static Arbitrary<Demand> slottedContainers() {
        return Combinators.combine(
                        Arbitraries.of(ContainerRole.values()),
                        Arbitraries.of(1, 1, 1, 2, 3),
                        Arbitraries.of(1, 1, 2, 20),
                        Arbitraries.of(0, 0, 1, 34, 50, 99),
                        Arbitraries.of(0, 30, 60),
                        Arbitraries.of(false, false, true))
                .as((role, cards, units, part, cores, whole) -> new ContainerDemand(
                        "c",
                        role,
                        whole
                                ? Share.whole(cards).plus(Share.slots(cards))
                                : Share.memory(part > 0 ? 0 : units * cards)
                                        .plus(Share.cores(cores * cards))
                                        .plus(Share.slots(cards))
                                        .plus(Share.part(part * cards))))
                .list()
                .ofMinSize(1)
                .ofMaxSize(3)
                .map(NodeCardsProperties::renamed);
    }

    private static Arbitrary<Demand> containers() {
        return Combinators.combine(
                        Arbitraries.of(ContainerRole.values()),
                        Arbitraries.integers().between(1, 20),
                        Arbitraries.of(true, true, false),
                        Arbitraries.of(0, 0, 1, 30, 40, 100))
                .as((role, amount, memory, cores) -> new ContainerDemand(
                        "c",
                        role,
                        memory ? Share.memory(amount).plus(Share.cores(cores)) : Share.whole(1 + amount % 3)))
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
                    "c" + named.size(), container.role(), container.request(), container.profile()));
        }
        return new Demand(named);
    }

    @Provide
    Arbitrary<List<Allocation>> forged() {
        Arbitrary<CardId> cards = Arbitraries.integers().between(0, 9).map(i -> new CardId("GPU-" + i));
        Arbitrary<ContainerAllocation> memory = Combinators.combine(
                        cards,
                        Arbitraries.oneOf(Arbitraries.integers().between(1, 1000), Arbitraries.just(Integer.MAX_VALUE)),
                        Arbitraries.of(0, 30, 101, Integer.MAX_VALUE))
                .as((card, units, cores) -> new ContainerAllocation(
                        "main",
                        ContainerRole.APP,
                        Map.of(
                                card,
                                Share.memory(units).plus(Share.cores(cores)).plus(Share.slots(cores / 10)))));
        Arbitrary<ContainerAllocation> whole =
                cards.map(card -> new ContainerAllocation("main", ContainerRole.APP, Map.of(card, Share.WHOLE_CARD)));
        return Arbitraries.oneOf(memory, whole)
                .map(container -> new Allocation(MemoryUnit.GIB, List.of(container)))
                .list()
                .ofMaxSize(20);
    }
}
