package io.gpushare.extender.ledger;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.Holding.Standing;
import io.gpushare.extender.policy.scoring.Fragmentation;
import io.gpushare.model.ledger.CardState;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The ledger in numbers at one moment, in one pass over its nodes and pods.
 *
 * @param nodes how many there are: {@code usable}, or by the label of the reason why they can take nothing
 * @param pods those that hold cards, by standing; one that holds on two nodes may be in two
 * @param unattributed bound pods with a demand of which nothing right says on which card they are
 * @param models what the usable nodes have together, by the cards' model
 * @param usable what each of the usable nodes has, by its name
 */
public record LedgerStats(
        Map<String, Integer> nodes,
        Map<Standing, Integer> pods,
        int unattributed,
        Map<String, Amounts> models,
        Map<String, Amounts> usable) {

    /** What a card is, the first of these that holds. */
    public enum CardUse {
        /** More is allocated than it has, by the annotations of its pods. */
        OVERUSED,
        ILL,
        CORDONED,
        WHOLE,
        SHARED,
        IDLE;

        static CardUse of(CardState card) {
            if (card.overCommitted()) {
                return OVERUSED;
            }
            if (!card.card().health().healthy()) {
                return ILL;
            }
            if (card.card().cordoned()) {
                return CORDONED;
            }
            return card.unused() ? IDLE : card.takenWhole() ? WHOLE : SHARED;
        }
    }

    /**
     * Cards, and memory in bytes.
     *
     * @param capacity all memory of the cards
     * @param allocated what pods hold of it; of a card taken whole all, and never more than a card has
     * @param free whole units that new pods may have: none of ill and cordoned cards
     * @param fragmented the part of the free memory that the mean usual pod can't have: {@link Fragmentation}
     * @param wasted the part of it that none of the usual pods can have
     */
    public record Amounts(
            Map<CardUse, Integer> cards, long capacity, long allocated, long free, long fragmented, long wasted) {
        public static final Amounts NONE = new Amounts(Map.of(), 0, 0, 0, 0, 0);

        public Amounts {
            Map<CardUse, Integer> copy = new EnumMap<>(CardUse.class);
            copy.putAll(cards);
            cards = Collections.unmodifiableMap(copy);
        }

        /** Both together. */
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

    /** How many pods hold cards with that standing. */
    public int holding(Standing standing) {
        return pods.getOrDefault(standing, 0);
    }

    /** Cards on which more is allocated than they have. */
    public int overused() {
        return models.values().stream()
                .mapToInt(model -> model.cards().getOrDefault(CardUse.OVERUSED, 0))
                .sum();
    }

    static LedgerStats of(Map<String, NodeEntry> nodes, Collection<PodEntry> pods, Fragmentation fragmentation) {
        Map<String, Integer> states = new HashMap<>(Map.of(
                "usable",
                0,
                Reason.NO_INVENTORY.label(),
                0,
                Reason.BAD_INVENTORY.label(),
                0,
                Reason.UNKNOWN_NODE.label(),
                0));
        Map<String, Sum> models = new HashMap<>();
        Map<String, Amounts> usable = new HashMap<>();
        nodes.forEach((name, entry) -> {
            states.merge(entry.unusable() == null ? "usable" : entry.unusable().label(), 1, Integer::sum);
            if (entry.unusable() == null) {
                Sum node = new Sum();
                count(entry, fragmentation, node, models);
                usable.put(name, node.amounts());
            }
        });
        Map<Standing, Integer> standings = new EnumMap<>(Standing.class);
        List.of(Standing.values()).forEach(standing -> standings.put(standing, 0));
        int unattributed = 0;
        for (PodEntry pod : pods) {
            standings(pod).forEach(standing -> standings.merge(standing, 1, Integer::sum));
            unattributed += pod.unattributed() ? 1 : 0;
        }
        Map<String, Amounts> byModel = new LinkedHashMap<>();
        models.forEach((model, sum) -> byModel.put(model, sum.amounts()));
        return new LedgerStats(states, standings, unattributed, byModel, usable);
    }

    private static Set<Standing> standings(PodEntry pod) {
        List<Holding> holds = pod.holds();
        if (holds.size() == 1) {
            return Set.of(holds.getFirst().standing());
        }
        Set<Standing> standings = new HashSet<>();
        holds.forEach(hold -> standings.add(hold.standing()));
        return standings;
    }

    private static void count(NodeEntry entry, Fragmentation fragmentation, Sum node, Map<String, Sum> models) {
        List<CardState> cards = entry.cards().cards();
        long unit = entry.cards().inventory().unit().size().bytes();
        for (CardState card : cards) {
            node.add(card, unit);
            models.computeIfAbsent(card.card().model(), any -> new Sum()).add(card, unit);
        }
        for (Fragmentation.Loss loss : fragmentation.losses(entry.room())) {
            node.add(loss, unit);
            Objects.requireNonNull(models.get(loss.card().kind().model())).add(loss, unit);
        }
    }

    private static final class Sum {
        private final Map<CardUse, Integer> cards = new EnumMap<>(CardUse.class);
        private long capacity;
        private long allocated;
        private long free;
        private double fragmented;
        private long wasted;

        void add(CardState card, long unit) {
            long bytes = card.card().memory().bytes();
            cards.merge(CardUse.of(card), 1, Integer::sum);
            capacity += bytes;
            allocated += card.takenWhole()
                    ? bytes
                    : Math.min(card.allocated().units(), card.capacity().units()) * unit;
            free += card.free().units() * unit;
        }

        void add(Fragmentation.Loss loss, long unit) {
            long bytes = loss.card().free() * unit;
            fragmented += loss.useless() * bytes;
            wasted += loss.wasted() ? bytes : 0;
        }

        Amounts amounts() {
            return new Amounts(cards, capacity, allocated, free, Math.round(fragmented), wasted);
        }
    }
}
