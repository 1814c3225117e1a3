package io.gpushare.simulation.planning;

import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.extender.policy.scoring.CardChoice;
import io.gpushare.model.card.CardKind;
import io.gpushare.model.ledger.CardState;
import io.gpushare.simulation.planning.LowerBound.Limit;
import io.gpushare.simulation.planning.LowerBound.Rounding;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * Finds the highest {@link LowerBound}: what pods that can use the same cards request together, against what these
 * cards and their nodes offer. Such a sum is a necessary condition for each set of pods, limit and rounding, so that
 * leaving some out costs precision only.
 */
final class BoundSearch {
    private static final int MOST_PARTS = 16;
    private static final int MOST_SETS = 32;

    /** Equal nodes; the first ones are those in question, of which the number is unknown. */
    private record Nodes(NodeEntry node, int count) {}

    /**
     * Equal pods.
     *
     * @param uses which cards of which nodes they can have, by {@link #use}
     * @param units what they share of a card at least
     * @param cardUnits the smallest card that they can have
     */
    private record Pods(PodRequest pod, int count, BitSet uses, long units, long cardUnits) {
        long requested(Limit limit, Rounding rounding) {
            return switch (limit) {
                case MEMORY -> rounding.requested(units) + pod.cards() * rounding.offered(cardUnits);
                case WHOLE_CARDS -> rounding.requested(pod.cards());
                case CPU -> rounding.requested(pod.cpuMilli());
                case NODE_MEMORY -> rounding.requested(pod.memoryMib());
            };
        }
    }

    private final List<CardKind> kinds;
    private final List<Nodes> nodes = new ArrayList<>();
    private final List<Pods> pods = new ArrayList<>();

    BoundSearch(List<KnownNode> others, KnownNode kind, List<PodRequest> requests) {
        Map<List<Object>, List<NodeEntry>> equal = new LinkedHashMap<>();
        for (KnownNode other : others) {
            NodeEntry node = other.entry();
            List<Object> cards = node.cards().open().cards().stream()
                    .<Object>map(card -> List.of(card.kind(), card.free()))
                    .toList();
            equal.computeIfAbsent(List.of(node.free(), cards), any -> new ArrayList<>())
                    .add(node);
        }
        nodes.add(new Nodes(kind.entry(), 0));
        equal.values().forEach(each -> nodes.add(new Nodes(each.getFirst(), each.size())));
        kinds = nodes.stream()
                .flatMap(each -> each.node().cards().open().cards().stream())
                .map(CardState::kind)
                .distinct()
                .toList();
        Map<PodRequest, Integer> counts = new LinkedHashMap<>();
        requests.forEach(pod -> counts.merge(pod, 1, Integer::sum));
        counts.forEach(this::add);
    }

    /** Adds equal pods, unless they fit no node. */
    private void add(PodRequest pod, int count) {
        BitSet uses = new BitSet();
        long units = Long.MAX_VALUE;
        long cardUnits = Long.MAX_VALUE;
        for (int i = 0; i < nodes.size(); i++) {
            NodeEntry node = nodes.get(i).node();
            if (CardChoice.of(node, pod).isEmpty()) {
                continue;
            }
            if (!pod.gpu()) {
                uses.set(use(i, -1), use(i + 1, -1));
            }
            for (CardState card : node.cards().open().cards()) {
                if (pod.gpu() && pod.allows(card.kind())) {
                    uses.set(use(i, kinds.indexOf(card.kind())));
                    units = Math.min(units, pod.on(card.kind().capacity()).units());
                    cardUnits = Math.min(cardUnits, card.kind().units());
                }
            }
        }
        if (!uses.isEmpty()) {
            pods.add(new Pods(pod, count, uses, pod.gpu() ? units : 0, pod.gpu() ? cardUnits : 0));
        }
    }

    /** A number for cards of that kind on that node; for the node without its cards if the kind is -1. */
    private int use(int node, int kind) {
        return node * (kinds.size() + 1) + kind + 1;
    }

    /** The highest bound, if so many of the pods that fit a node may be refused. */
    LowerBound highest(int mayRefuse) {
        LowerBound highest = new LowerBound(0, Limit.MEMORY, false);
        for (BitSet uses : sets()) {
            List<Pods> inside = pods.stream()
                    .filter(each -> {
                        BitSet outside = (BitSet) each.uses().clone();
                        outside.andNot(uses);
                        return outside.isEmpty();
                    })
                    .toList();
            for (Limit limit : Limit.values()) {
                for (Rounding rounding : roundings(limit)) {
                    int needed = needed(inside, uses, limit, rounding, mayRefuse);
                    boolean sizes = rounding.parts() > 0;
                    if (needed > highest.nodes() || (needed == highest.nodes() && highest.sizes() && !sizes)) {
                        highest = new LowerBound(needed, limit, sizes);
                    }
                }
            }
        }
        return highest;
    }

    /** What each kind of pod can use, and all of it. */
    private Set<BitSet> sets() {
        BitSet all = new BitSet();
        pods.forEach(each -> all.or(each.uses()));
        Set<BitSet> sets = new LinkedHashSet<>(Set.of(all));
        for (Pods each : pods) {
            if (sets.size() < MOST_SETS) {
                sets.add(each.uses());
            }
        }
        return sets;
    }

    private List<Rounding> roundings(Limit limit) {
        NodeEntry kind = nodes.getFirst().node();
        LongStream places = switch (limit) {
            case MEMORY -> kinds.stream().mapToLong(CardKind::units);
            case WHOLE_CARDS -> LongStream.of(kind.cards().open().cards().size());
            case CPU -> LongStream.of(kind.free().cpuMilli());
            case NODE_MEMORY -> LongStream.of(kind.free().memoryMib());
        };
        List<Rounding> roundings = new ArrayList<>(List.of(Rounding.NONE));
        places.filter(place -> place > 0).distinct().forEach(place -> {
            for (int parts = 1; parts <= MOST_PARTS; parts++) {
                roundings.add(new Rounding(place, parts));
            }
        });
        return roundings;
    }

    private int needed(List<Pods> inside, BitSet uses, Limit limit, Rounding rounding, int mayRefuse) {
        long missing = requested(inside, limit, rounding, mayRefuse);
        for (int i = 1; i < nodes.size() && missing > 0; i++) {
            missing -= nodes.get(i).count() * offered(i, uses, limit, rounding);
        }
        if (missing <= 0) {
            return 0;
        }
        long each = offered(0, uses, limit, rounding);
        return each == 0 ? Integer.MAX_VALUE : (int) Math.min(Integer.MAX_VALUE - 1, Math.ceilDiv(missing, each));
    }

    /** What the pods request together, without those that request most. */
    private static long requested(List<Pods> inside, Limit limit, Rounding rounding, int mayRefuse) {
        List<Pods> sorted = mayRefuse == 0
                ? inside
                : inside.stream()
                        .sorted((one, other) ->
                                Long.compare(other.requested(limit, rounding), one.requested(limit, rounding)))
                        .toList();
        long sum = 0;
        int refused = mayRefuse;
        for (Pods each : sorted) {
            int dropped = Math.min(refused, each.count());
            refused -= dropped;
            sum += (each.count() - dropped) * each.requested(limit, rounding);
        }
        return sum;
    }

    /** What a node offers of a limit on these cards, rounded. */
    private long offered(int index, BitSet uses, Limit limit, Rounding rounding) {
        int next = uses.nextSetBit(use(index, -1));
        if (next < 0 || next >= use(index + 1, -1)) {
            return 0;
        }
        NodeEntry node = nodes.get(index).node();
        List<CardState> cards = node.cards().open().cards().stream()
                .filter(card -> uses.get(use(index, kinds.indexOf(card.kind()))))
                .toList();
        return switch (limit) {
            case MEMORY ->
                cards.stream()
                        .mapToLong(card -> rounding.offered(card.free().units()))
                        .sum();
            case WHOLE_CARDS -> rounding.offered(cards.size());
            case CPU -> rounding.offered(Math.max(0, node.free().cpuMilli()));
            case NODE_MEMORY -> rounding.offered(Math.max(0, node.free().memoryMib()));
        };
    }
}
