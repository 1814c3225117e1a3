package io.gpushare.model.claims;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** What kube-scheduler does by the slices alone, on every history of claims, is what the ledger allows. */
class ClaimsProperties {
    private static final SliceSpecs SPECS = new SliceSpecs("gpu.example.com", "node-1");
    private static final ClaimDecoder DECODER = new ClaimDecoder("gpu.example.com", "node-1");
    private static final long MIB = 1L << 20;

    /** One step: release one of the claims, or allocate one; memory in MiB, or cores, may be left unnamed. */
    record Step(boolean release, int which, int count, int mib, int cores) {
        Map<String, Long> amounts() {
            Map<String, Long> amounts = new HashMap<>();
            if (mib >= 0) {
                amounts.put("memory", mib * MIB);
            }
            if (cores >= 0) {
                amounts.put("cores", (long) cores);
            }
            return amounts;
        }
    }

    @Property
    void noCardIsOverAllocatedNorSharedAndWholeAtOnce(
            @ForAll("inventories") Inventory inventory, @ForAll("histories") List<Step> history) {
        Allocator allocator = new Allocator();
        NodeCards node = NodeCards.of(inventory);
        List<String> running = new ArrayList<>();
        for (int i = 0; i < history.size(); i++) {
            Step step = history.get(i);
            // The order changes with what is allocated, as on a node.
            allocator.publish(SPECS.of(node, i, true));
            if (step.release() && !running.isEmpty()) {
                String claim = running.remove(step.which() % running.size());
                allocator.release(claim);
                node = node.without(claim);
            } else if (allocator.allocate("claim-" + i, step.count(), step.amounts())) {
                running.add("claim-" + i);
                node = with(node, "claim-" + i, allocator);
            }
            assertThat(node.cards()).hasSameSizeAs(inventory.cards()).noneMatch(CardState::overCommitted);
        }
    }

    @Property
    void aClaimThatNamesNoMemoryGetsUnusedCardsWhole(
            @ForAll("inventories") Inventory inventory, @ForAll("histories") List<Step> history) {
        Allocator allocator = new Allocator();
        NodeCards node = NodeCards.of(inventory);
        for (int i = 0; i < history.size(); i++) {
            allocator.publish(SPECS.of(node, i, true));
            if (allocator.allocate("claim-" + i, 1, history.get(i).amounts())) {
                node = with(node, "claim-" + i, allocator);
            }
        }
        allocator.publish(SPECS.of(node, history.size(), true));
        List<CardId> unused = node.cards().stream()
                .filter(state -> state.free().takenWhole() > 0 && state.card().sharesMemory())
                .map(state -> state.card().id())
                .toList();

        assertThat(allocator.allocate("whole", 1, Map.of())).isEqualTo(!unused.isEmpty());
        if (!unused.isEmpty()) {
            NodeCards after = with(node, "whole", allocator);
            Set<CardId> taken = after.allocationOf("whole").orElseThrow().cards();
            assertThat(unused).containsAll(taken);
            assertThat(after.cards())
                    .filteredOn(state -> taken.contains(state.card().id()))
                    .hasSize(1)
                    .allMatch(CardState::takenWhole);
        }
    }

    private static NodeCards with(NodeCards node, String claim, Allocator allocator) {
        Allocation cards = DECODER.decode(
                        new ResourceClaim(claim, "team", claim, List.of(), allocator.results(claim), List.of()),
                        node.inventory())
                .valid()
                .orElseThrow();
        assertThat(node.fits(cards)).isTrue();
        return node.with(new PodRef(claim, "team", claim), cards);
    }

    @Provide
    Arbitrary<Inventory> inventories() {
        Arbitrary<Card> cards = Combinators.combine(
                        Arbitraries.integers().between(0, 9_000),
                        Arbitraries.integers().between(0, 9),
                        Arbitraries.of(Isolation.NONE, Isolation.MPS))
                .as((mib, state, isolation) -> {
                    Card card = Card.of("GPU-0", 0, Memory.ofMib(mib)).withIsolation(CardIsolation.of(isolation));
                    return switch (state) {
                        case 0 -> card.withHealth(new Health.Unhealthy("Xid 79"));
                        case 1 -> card.withCordoned(true);
                        case 2 -> card.withIsolation(CardIsolation.closed("no MPS"));
                        default -> card;
                    };
                });
        Arbitrary<MemoryUnit> units = Arbitraries.of(MemoryUnit.GIB, MemoryUnit.ofMib(1000), MemoryUnit.ofMib(256));
        return Combinators.combine(units, cards.list().ofMinSize(1).ofMaxSize(5))
                .as((unit, list) -> new Inventory(unit, null, numbered(list, unit)).withBeside(Share.ALL_CORES));
    }

    /** Where there are instances, all cards have memory. */
    private static List<Card> numbered(List<Card> cards, MemoryUnit unit) {
        boolean instances = cards.stream().allMatch(card -> unit.unitsIn(card.memory()) > 0);
        List<Card> numbered = new ArrayList<>();
        for (Card card : cards) {
            int index = numbered.size();
            numbered.add(new Card(
                    new CardId((instances && index % 2 == 1 ? "MIG-" : "GPU-") + index),
                    index,
                    index,
                    card.model(),
                    card.memory(),
                    card.details(),
                    card.health(),
                    card.cordoned(),
                    card.held(),
                    card.inUseBy(),
                    card.taint(),
                    card.foreign(),
                    card.isolation()));
        }
        return numbered;
    }

    @Provide
    Arbitrary<List<Step>> histories() {
        return Combinators.combine(
                        Arbitraries.frequency(Tuple.of(1, true), Tuple.of(3, false)),
                        Arbitraries.integers().between(0, 100),
                        Arbitraries.frequency(Tuple.of(4, 1), Tuple.of(1, 2)),
                        Arbitraries.integers().between(-3_000, 9_000),
                        Arbitraries.integers().between(-50, 100))
                .as(Step::new)
                .list()
                .ofMaxSize(20);
    }
}
