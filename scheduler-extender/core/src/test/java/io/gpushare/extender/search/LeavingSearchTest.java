package io.gpushare.extender.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
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
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Placement;
import io.gpushare.model.pod.PodPriority;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class LeavingSearchTest {
    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
    private static final int[] SIZES = {8, 15, 15, 24};

    @Property
    void evictionSufficesAndEveryVictimIsNeeded(
            @ForAll long seed, @ForAll @IntRange(max = 24) int units, @ForAll @IntRange(max = 3) int whole) {
        if (units + whole == 0) {
            return;
        }
        Random random = new Random(seed);
        NodeCards node = node(random);
        Map<String, Harm> evictable = evictable(random, node);
        Demand demand = demand(units, whole);
        Optional<List<String>> victims = victims(node, demand, evictable);
        if (victims.isEmpty()) {
            assertThat(fits(without(node, evictable.keySet()), demand))
                    .as("without all evictable pods")
                    .isFalse();
            return;
        }
        assertThat(evictable.keySet()).containsAll(victims.get());
        assertThat(fits(without(node, victims.get()), demand))
                .as("without the victims")
                .isTrue();
        for (String spared : victims.get()) {
            List<String> others = new ArrayList<>(victims.get());
            others.remove(spared);
            assertThat(fits(without(node, others), demand))
                    .as("with %s of %s", spared, victims.get())
                    .isFalse();
        }
    }

    /** By trying all sets. The pods are harmed by their eviction, or by a move. */
    @Property
    void noOtherSetDoesLessHarm(
            @ForAll long seed,
            @ForAll @IntRange(max = 24) int units,
            @ForAll @IntRange(max = 3) int whole,
            @ForAll boolean moved) {
        if (units + whole == 0) {
            return;
        }
        Random random = new Random(seed);
        NodeCards node = node(random);
        Map<String, Harm> mayLeave = moved ? moves(random, node) : evictable(random, node);
        Demand demand = demand(units, whole);
        List<String> all = List.copyOf(mayLeave.keySet());
        List<Harm> least = new ArrayList<>();
        for (int set = 0; set < 1 << all.size(); set++) {
            List<String> leaving = new ArrayList<>();
            for (int i = 0; i < all.size(); i++) {
                if ((set >> i & 1) == 1) {
                    leaving.add(all.get(i));
                }
            }
            if (fits(without(node, leaving), demand)) {
                least.add(harm(mayLeave, leaving));
            }
        }
        List<LeavingSearch.Leaving> sets = LeavingSearch.sets(node, demand, mayLeave);
        assertThat(sets.stream().map(LeavingSearch.Leaving::harm).findFirst())
                .isEqualTo(least.stream().min(Comparator.naturalOrder()));
        assertThat(sets).isSortedAccordingTo(Comparator.comparing(LeavingSearch.Leaving::harm));
        assertThat(sets).allSatisfy(leaving -> {
            assertThat(leaving.harm()).isEqualTo(harm(mayLeave, leaving.uids()));
            assertThat(fits(without(node, leaving.uids()), demand)).isTrue();
        });
    }

    @Test
    void theYoungestOfEqualPodsIsEvictedAfterATerminatingOne() {
        NodeCards node = t4s(memory("old", 0, 8), memory("young", 1, 8));
        assertThat(victims(node, 10, Map.of("old", priority(1, 0), "young", priority(1, 5))))
                .containsExactly("young");
        assertThat(victims(node, 10, Map.of("old", Harm.NONE, "young", priority(1, 5))))
                .containsExactly("old");
    }

    @Test
    void thePodsOfLowestPriorityAreEvictedEvenIfOlderAndMore() {
        NodeCards node = t4s(memory("high", 0, 15), memory("low-a", 1, 7), memory("low-b", 1, 8));
        assertThat(victims(node, 15, Map.of("high", priority(2, 9), "low-a", priority(1, 0), "low-b", priority(1, 0))))
                .containsExactlyInAnyOrder("low-a", "low-b");
    }

    @Test
    void theCheapestCardIsFreedForAWholeCard() {
        NodeCards node = t4s(memory("high", 0, 1), memory("low", 1, 1));
        Map<String, Harm> evictable = Map.of("high", priority(2, 0), "low", priority(1, 0));
        assertThat(victims(node, demand(0, 1), evictable)).contains(List.of("low"));
        assertThat(victims(node, demand(0, 2), evictable).orElseThrow()).containsExactlyInAnyOrder("high", "low");
        assertThat(victims(node, demand(0, 3), evictable)).isEmpty();
    }

    private static List<String> victims(NodeCards node, int units, Map<String, Harm> evictable) {
        return victims(node, demand(units, 0), evictable).orElseThrow();
    }

    private static Optional<List<String>> victims(NodeCards node, Demand demand, Map<String, Harm> evictable) {
        return LeavingSearch.sets(node, demand, evictable).stream().findFirst().map(LeavingSearch.Leaving::uids);
    }

    private static NodeCards t4s(Holder... holders) {
        NodeCards node = NodeCards.of(new Inventory(MemoryUnit.GIB, null, List.of(card(0, 15), card(1, 15))));
        for (Holder holder : holders) {
            node = node.with(pod(holder.uid()), memory(holder.card(), holder.units()));
        }
        return node;
    }

    private record Holder(String uid, int card, int units) {}

    private static Holder memory(String uid, int card, int units) {
        return new Holder(uid, card, units);
    }

    private static NodeCards node(Random random) {
        List<Card> cards = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(4); i++) {
            Card card = card(i, SIZES[random.nextInt(SIZES.length)]);
            cards.add(random.nextInt(6) == 0 ? card.withHealth(new Health.Unhealthy("Xid 79")) : card);
        }
        NodeCards node = NodeCards.of(new Inventory(MemoryUnit.GIB, null, cards));
        for (int i = 0; i < random.nextInt(9); i++) {
            // Mostly allocations that fit; sometimes one that does not, as a forged annotation may claim.
            Demand demand = random.nextInt(4) == 0 ? demand(0, 1) : demand(1 + random.nextInt(9), 0);
            int shareable = random.nextInt(16);
            if (random.nextInt(10) == 0) {
                node = node.with(pod("uid-" + i), memory(random.nextInt(4), 1 + random.nextInt(9)));
            } else if (node.place(demand, state -> (shareable >> state.card().index() & 1) == 1, any -> true)
                    instanceof Placement.Placed(Allocation allocation)) {
                node = node.with(pod("uid-" + i), allocation);
            }
        }
        return node;
    }

    private static Map<String, Harm> evictable(Random random, NodeCards node) {
        Map<String, Harm> evictable = new HashMap<>();
        for (NodeCards.Holding holding : node.holdings()) {
            if (random.nextInt(5) > 0) {
                evictable.put(
                        holding.holder().uid(),
                        random.nextInt(8) == 0
                                ? Harm.NONE
                                : priority(random.nextInt(3), random.nextInt(60), node.units(holding.allocation())));
            }
        }
        return evictable;
    }

    @Test
    void aPodThatNeedsCoresEvictsWhoHoldsThemAndNobodyElse() {
        Card mps = card(0, 15).withIsolation(CardIsolation.of(Isolation.MPS));
        NodeCards node = NodeCards.of(new Inventory(MemoryUnit.GIB, null, List.of(mps)).withBeside(Share.ALL_CORES))
                .with(pod("memory"), sharing(0, Share.memory(4)))
                .with(pod("small"), sharing(0, Share.memory(1).plus(Share.cores(30))))
                .with(pod("large"), sharing(0, Share.memory(2).plus(Share.cores(60))));
        Map<String, Harm> evictable =
                Map.of("memory", priority(0, 0), "small", priority(0, 0), "large", priority(0, 0));
        Demand fifty = new Demand(List.of(
                new ContainerDemand("main", ContainerRole.APP, Share.memory(1).plus(Share.cores(50)))));

        assertThat(victims(node, fifty, evictable)).hasValue(List.of("large"));
    }

    private static Map<String, Harm> moves(Random random, NodeCards node) {
        Map<String, Harm> moves = new HashMap<>();
        for (NodeCards.Holding holding : node.holdings()) {
            if (random.nextInt(5) > 0) {
                moves.put(holding.holder().uid(), Harm.ofMove(1 + random.nextInt(9)));
            }
        }
        return moves;
    }

    private static Harm priority(int value, int minute) {
        return priority(value, minute, 0);
    }

    private static Harm priority(int value, int minute, long units) {
        return Harm.ofEviction(new PodPriority(value, NOON.plusSeconds(60L * minute), false), units);
    }

    private static Harm harm(Map<String, Harm> harms, List<String> uids) {
        return Harm.sum(
                uids.stream().map(harms::get).map(Objects::requireNonNull).toList());
    }

    private static NodeCards without(NodeCards node, Iterable<String> uids) {
        NodeCards left = node;
        for (String uid : uids) {
            left = left.without(uid);
        }
        return left;
    }

    private static boolean fits(NodeCards node, Demand demand) {
        return node.place(demand) instanceof Placement.Placed;
    }

    private static Demand demand(int units, int whole) {
        List<ContainerDemand> containers = new ArrayList<>();
        if (units > 0) {
            containers.add(new ContainerDemand("shared", ContainerRole.APP, Share.memory(units)));
        }
        if (whole > 0) {
            containers.add(new ContainerDemand("whole", ContainerRole.APP, Share.whole(whole)));
        }
        return new Demand(containers);
    }

    private static Card card(int index, int gib) {
        return Card.of("GPU-" + index, index, Memory.ofGib(gib));
    }

    private static PodRef pod(String uid) {
        return new PodRef(uid, "default", "pod-" + uid);
    }

    private static Allocation memory(int card, int units) {
        return sharing(card, Share.memory(units));
    }

    private static Allocation sharing(int card, Share share) {
        return new Allocation(
                MemoryUnit.GIB,
                List.of(new ContainerAllocation("main", ContainerRole.APP, Map.of(new CardId("GPU-" + card), share))));
    }
}
