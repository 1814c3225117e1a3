package io.gpushare.insight.waste;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.ClusterState;
import io.gpushare.extender.ledger.Holding;
import io.gpushare.extender.ledger.Holding.Standing;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.policy.scoring.Fragmentation;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.NoCards;
import io.gpushare.model.ledger.CardState;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The ledger in numbers at one moment.
 *
 * @param nodes the number of nodes by state: {@code usable}, or the label of the reason why a node can take no pod
 * @param pods the number of pods that hold cards, by standing; a pod that holds cards on two nodes may count twice
 * @param unattributed the number of bound pods with a demand but without a valid allocation
 * @param models the amounts of all these nodes, by card model
 * @param usable the amounts of each node whose inventory is known, by its name
 */
public record LedgerStats(
        Map<String, Integer> nodes,
        Map<Standing, Integer> pods,
        int unattributed,
        Map<String, Amounts> models,
        Map<String, Amounts> usable) {

    /** The state of a card: the first of these that applies. The names are label values of a metric. */
    public enum CardUse {
        /** The annotations of its pods allocate more than it has. */
        OVERCOMMITTED,
        UNHEALTHY,
        /** Or it is held or tainted, or its node is shut. */
        CORDONED,
        /** Somebody has it by another offer than its node's. */
        IN_USE,
        WHOLE,
        SHARED,
        IDLE;

        static CardUse of(CardState card, boolean shut) {
            if (card.overCommitted()) {
                return OVERCOMMITTED;
            }
            if (!card.card().health().healthy()) {
                return UNHEALTHY;
            }
            Card of = card.card();
            if (shut || of.cordoned() || of.held() || of.taint() != null) {
                return CORDONED;
            }
            if (card.card().inUseBy() != null) {
                return IN_USE;
            }
            return card.unused() ? IDLE : card.takenWhole() ? WHOLE : SHARED;
        }
    }

    /**
     * Cards by state, and memory in bytes.
     *
     * @param capacity the total memory of the cards
     * @param allocated the memory that pods hold: all of a card that is taken whole, and never more than a card has
     * @param free the memory that new pods can get, in whole units; none of unhealthy, cordoned and tainted cards, and
     *     of nodes that are stale or shut
     * @param fragmented the part of the free memory that a typical pod can't use on average: {@link Fragmentation}
     * @param wasted the part of the free memory that no typical pod can use
     */
    public record Amounts(
            Map<CardUse, Integer> cards, long capacity, long allocated, long free, long fragmented, long wasted) {
        public static final Amounts NONE = new Amounts(Map.of(), 0, 0, 0, 0, 0);

        public Amounts {
            Map<CardUse, Integer> copy = new EnumMap<>(CardUse.class);
            copy.putAll(cards);
            cards = Collections.unmodifiableMap(copy);
        }

        /** The sum of both. */
        public Amounts plus(Amounts other) {
            Map<CardUse, Integer> both = new EnumMap<>(CardUse.class);
            both.putAll(cards);
            other.cards.forEach((use, count) -> both.merge(use, count, Integer::sum));
            return new Amounts(
                    both,
                    capacity + other.capacity,
                    allocated + other.allocated,
                    free + other.free,
                    fragmented + other.fragmented,
                    wasted + other.wasted);
        }
    }

    /**
     * Adds up that state.
     *
     * @param fragmentation how the free memory of nodes is weighed
     */
    public static LedgerStats of(ClusterState state, Fragmentation fragmentation) {
        Map<String, Integer> states = new HashMap<>(Map.of(
                "usable",
                0,
                Reason.NO_INVENTORY.label(),
                0,
                Reason.BAD_INVENTORY.label(),
                0,
                Reason.NOT_RENEWED.label(),
                0,
                Reason.noCards(NoCards.Cause.UNKNOWN).label(),
                0,
                Reason.UNKNOWN_NODE.label(),
                0));
        Map<String, Sum> models = new HashMap<>();
        Map<String, Amounts> usable = new HashMap<>();
        state.entries().forEach((name, entry) -> {
            @Nullable Reason unavailable = entry.unavailable();
            states.merge(unavailable == null ? "usable" : unavailable.label(), 1, Integer::sum);
            if (entry.unusable() == null) {
                Sum node = new Sum();
                count(entry, fragmentation, node, models);
                usable.put(name, node.amounts());
            }
        });
        Map<Standing, Integer> standings = new EnumMap<>(Standing.class);
        List.of(Standing.values()).forEach(standing -> standings.put(standing, 0));
        int unattributed = 0;
        for (PodEntry pod : state.pods()) {
            standings(pod).forEach(standing -> standings.merge(standing, 1, Integer::sum));
            unattributed += pod.unattributed() ? 1 : 0;
        }
        Map<String, Amounts> byModel = new LinkedHashMap<>();
        models.forEach((model, sum) -> byModel.put(model, sum.amounts()));
        return new LedgerStats(states, standings, unattributed, byModel, usable);
    }

    private static Set<Standing> standings(PodEntry pod) {
        List<Holding> holdings = pod.holdings();
        if (holdings.size() == 1) {
            return Set.of(holdings.getFirst().standing());
        }
        Set<Standing> standings = new HashSet<>();
        holdings.forEach(holding -> standings.add(holding.standing()));
        return standings;
    }

    private static void count(NodeEntry entry, Fragmentation fragmentation, Sum node, Map<String, Sum> models) {
        List<CardState> cards = entry.cards().cards();
        long unit = entry.cards().inventory().unit().size().bytes();
        for (CardState card : cards) {
            node.add(card, unit, entry);
            models.computeIfAbsent(card.card().model(), any -> new Sum()).add(card, unit, entry);
        }
        for (Fragmentation.Loss loss : fragmentation.losses(entry.offeredToAll())) {
            node.add(loss, unit);
            String model = loss.card().card().model();
            Objects.requireNonNull(models.get(model)).add(loss, unit);
        }
    }

    private static final class Sum {
        private final Map<CardUse, Integer> cards = new EnumMap<>(CardUse.class);
        private long capacity;
        private long allocated;
        private long free;
        private double fragmented;
        private long wasted;

        void add(CardState card, long unit, NodeEntry of) {
            long bytes = card.card().memory().bytes();
            boolean shut = of.shut() != null;
            cards.merge(CardUse.of(card, shut), 1, Integer::sum);
            capacity += bytes;
            allocated += card.takenWhole()
                    ? bytes
                    : Math.min(card.allocated().units(), card.capacity().units()) * unit;
            free += shut || of.notRenewed() ? 0 : card.free().units() * unit;
        }

        void add(Fragmentation.Loss loss, long unit) {
            long bytes = loss.card().free().units() * unit;
            fragmented += loss.unusable() * bytes;
            wasted += loss.wasted() ? bytes : 0;
        }

        Amounts amounts() {
            return new Amounts(cards, capacity, allocated, free, Math.round(fragmented), wasted);
        }
    }
}
