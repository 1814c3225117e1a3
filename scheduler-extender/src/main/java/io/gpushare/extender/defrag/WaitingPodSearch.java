package io.gpushare.extender.defrag;

import io.gpushare.extender.feasibility.DemandSummary;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.PodPriority;
import io.gpushare.extender.preemption.Evictable;
import io.gpushare.extender.preemption.VictimSearch;
import io.gpushare.model.Allocation;
import io.gpushare.model.HostResources;
import io.gpushare.model.card.CardId;
import io.gpushare.model.ledger.CardOrder;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Placement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which few pods to move so that a waiting pod fits. On each node it takes the smallest sets of pods that would have to leave
 * ({@link VictimSearch}: those of each card, and of several together), and of these the first whose pods fit elsewhere.
 *
 * <p>At most {@value #MOST_NODES} nodes are searched, those with the most free memory or unused cards, and at most
 * {@value #MOST_SETS} sets are tried.
 */
public final class WaitingPodSearch {
    static final int MOST_NODES = 200;
    static final int MOST_SETS = 128;

    private final Placer placer;
    private final Ledger ledger;
    private final PodEntry pod;
    private final DemandSummary summary;
    private final PodKnowledge known;
    private final Predicate<String> nodes;

    /**
     * Pods that would have to leave a node.
     *
     * @param held whether pods are moved away from some of its cards already
     */
    private record Leaving(String node, boolean held, List<PodEntry> pods) {
        private static final Comparator<Leaving> FEWEST_FIRST = Comparator.comparing((Leaving leaving) -> !leaving.held)
                .thenComparingInt(leaving -> leaving.pods.size())
                .thenComparingLong(Leaving::units)
                .thenComparing(Leaving::node);

        private long units() {
            return pods.stream().mapToLong(pod -> pod.demand().total().units()).sum();
        }
    }

    /** @param nodes where cards may be freed for the pod, by name */
    public WaitingPodSearch(Placer placer, PodEntry pod, PodKnowledge known, Predicate<String> nodes) {
        this.placer = placer;
        this.ledger = placer.ledger();
        this.pod = pod;
        this.summary = DemandSummary.of(pod.demand());
        this.known = known;
        this.nodes = nodes;
    }

    /** The fewest moves found. */
    public DefragPlan plan(int mostMoves) {
        PlannedCluster now = PlannedCluster.of(placer, known);
        List<String> candidates = new ArrayList<>();
        boolean cardsAreFree = false;
        for (String name : now.nodes()) {
            if (nodes.test(name) && known.accepts(pod.ref().uid(), name)) {
                NodeEntry node =
                        open(ledger.nodeEntryFor(pod.ref().uid(), pod.priority().value(), name));
                @Nullable Reason refusal = node.refusal(summary);
                if (refusal == null && fits(node)) {
                    return new DefragPlan.NotNeeded(name);
                }
                cardsAreFree |= refusal == null;
                if (refusal != null && refusal.resolvable()) {
                    candidates.add(name);
                }
            }
        }
        Optional<FreedCards> freed = candidates.stream()
                .sorted(Comparator.comparingInt((String name) -> -free(now.node(name)))
                        .thenComparing(name -> name))
                .limit(MOST_NODES)
                .flatMap(name -> leaving(now, name))
                .filter(leaving -> leaving.pods().size() <= mostMoves)
                .sorted(Leaving.FEWEST_FIRST)
                .limit(MOST_SETS)
                .flatMap(leaving -> moved(now, leaving).stream())
                .findFirst();
        if (freed.isPresent()) {
            return new DefragPlan.Moves(List.of(freed.get()));
        }
        if (!candidates.isEmpty()) {
            return new DefragPlan.NotPossible(
                    "the pods that would have to be moved for it fit nowhere else, or may not be moved" + now.limits());
        }
        return new DefragPlan.NotPossible(
                cardsAreFree
                        ? "the nodes with enough free on their cards lack CPU or memory"
                        : "no node could take it, even with other pods moved away");
    }

    private int free(NodeEntry node) {
        return summary.shares() ? node.summary().mostUnits() : node.summary().unused();
    }

    private boolean fits(NodeEntry node) {
        HostResources host = pod.podDemand().host();
        HostResources left = node.allocatable().minus(node.requested());
        return (host.cpuMilli() == 0 || host.cpuMilli() <= left.cpuMilli())
                && (host.memoryMib() == 0 || host.memoryMib() <= left.memoryMib());
    }

    /** The sets of pods that would have to leave the node: of one card each, and of all cards together. */
    private Stream<Leaving> leaving(PlannedCluster now, String name) {
        NodeCards cards = open(now.node(name)).cards();
        boolean held = held(now.node(name));
        Map<String, PodPriority> movable = Evictable.on(
                ledger,
                name,
                cards,
                entry -> now.movable(entry.ref().uid(), name).isPresent());
        Set<Set<String>> sets = new HashSet<>();
        for (CardState state : cards.cards()) {
            Set<String> holders = cards.holdings().stream()
                    .filter(holding ->
                            holding.allocation().cards().contains(state.card().id()))
                    .map(holding -> holding.holder().key())
                    .collect(Collectors.toSet());
            Map<String, PodPriority> ofCard = movable.entrySet().stream()
                    .filter(entry -> holders.contains(entry.getKey()))
                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
            if (!ofCard.isEmpty()) {
                VictimSearch.victims(cards, pod.demand(), ofCard).ifPresent(uids -> sets.add(Set.copyOf(uids)));
            }
        }
        VictimSearch.victims(cards, pod.demand(), movable).ifPresent(uids -> sets.add(Set.copyOf(uids)));
        return sets.stream()
                .map(uids -> new Leaving(
                        name,
                        held,
                        uids.stream()
                                .flatMap(uid -> ledger.podEntry(uid).stream())
                                .toList()));
    }

    /** The node as it will be when the cards that are held for the pod are open again. */
    private static NodeEntry open(NodeEntry node) {
        return held(node) ? node.reserved(Set.of()) : node;
    }

    private static boolean held(NodeEntry node) {
        return node.cards().cards().stream().anyMatch(state -> state.card().held());
    }

    private Optional<FreedCards> moved(PlannedCluster now, Leaving leaving) {
        NodeEntry node = open(now.node(leaving.node()));
        for (PodEntry each : leaving.pods()) {
            node = node.without(each.ref().uid())
                    .requested(HostResources.NONE.minus(each.podDemand().host()));
        }
        if (!(node.cards().place(pod.demand(), CardOrder.BINPACK) instanceof Placement.Placed(Allocation allocation))
                || !fits(node)) {
            return Optional.empty();
        }
        Set<CardId> cards = allocation.cards();
        return now.move(leaving.pods(), leaving.node(), cards, _ -> true)
                .map(moved -> new FreedCards(leaving.node(), cards, moved.moves()));
    }
}
