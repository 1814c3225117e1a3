package io.gpushare.extender.defrag;

import io.gpushare.extender.feasibility.DemandSummary;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.model.Allocation;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodController;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Placement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The cluster as it would be after the moves so far. A copy costs as much as the number of changed nodes. */
final class PlannedCluster {
    private final Ledger ledger;
    private final Map<String, NodeEntry> before;
    private final CheapestNodes policies;
    private final PodKnowledge known;
    private final Map<String, NodeEntry> changed;
    private final Set<String> moved;

    private PlannedCluster(
            Ledger ledger,
            Map<String, NodeEntry> before,
            CheapestNodes policies,
            PodKnowledge known,
            Map<String, NodeEntry> changed,
            Set<String> moved) {
        this.ledger = ledger;
        this.before = before;
        this.policies = policies;
        this.known = known;
        this.changed = changed;
        this.moved = moved;
    }

    /** The ledger as it is now. Cards that wait for nominated pods are not free. */
    static PlannedCluster of(Placer placer, PodKnowledge known) {
        Ledger ledger = placer.ledger();
        Map<String, NodeEntry> nodes = new HashMap<>(ledger.nodeEntries());
        nodes.putAll(ledger.nodesApart("", Integer.MIN_VALUE));
        return new PlannedCluster(
                ledger, nodes, new CheapestNodes(nodes, placer::scoring), known, new HashMap<>(), new HashSet<>());
    }

    private PlannedCluster copy() {
        return new PlannedCluster(ledger, before, policies, known, new HashMap<>(changed), new HashSet<>(moved));
    }

    /** The names of the nodes that accept pods. */
    List<String> nodes() {
        return before.entrySet().stream()
                .filter(node -> node.getValue().unavailable() == null)
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    NodeEntry node(String name) {
        @Nullable NodeEntry now = changed.get(name);
        return now == null ? Objects.requireNonNull(before.get(name)) : now;
    }

    /** The pod with that uid, if it may be moved away from that node. */
    Optional<PodEntry> movable(String uid, String node) {
        return ledger.podEntry(uid)
                .filter(pod -> node.equals(pod.node()) && !moved.contains(uid) && !known.spared(uid))
                .filter(pod -> !pod.priority().terminating() && pod.holdings().size() == 1)
                .filter(pod -> {
                    @Nullable PodController controller = pod.controller();
                    return controller != null && controller.moves();
                });
    }

    /** The cluster after moves, and the moves. */
    record Moved(PlannedCluster after, List<Move> moves) {}

    /**
     * Moves the pods away from the node, the largest first; empty if one of them fits nowhere else.
     *
     * @param held cards of the node that accept no pods from now on
     * @param allowed which of the places that the policy chooses are accepted
     */
    Optional<Moved> move(Collection<PodEntry> pods, String node, Set<CardId> held, Predicate<CardState> allowed) {
        PlannedCluster after = copy();
        after.hold(node, held);
        List<Move> moves = new ArrayList<>();
        List<PodEntry> largestFirst = pods.stream()
                .sorted(Comparator.comparingInt(
                                (PodEntry pod) -> pod.demand().total().units())
                        .reversed()
                        .thenComparing(pod -> pod.ref().uid()))
                .toList();
        for (PodEntry pod : largestFirst) {
            after.remove(pod, node);
            Optional<Place> place =
                    after.destination(pod).filter(found -> after.cards(found).allMatch(allowed));
            if (place.isEmpty()) {
                return Optional.empty();
            }
            moves.add(new Move(
                    pod.ref(),
                    Objects.requireNonNull(pod.controller()),
                    node,
                    place.get().node(),
                    place.get().allocation().cards()));
            after.add(pod, place.get());
        }
        return Optional.of(new Moved(after, moves));
    }

    private void hold(String name, Set<CardId> cards) {
        Set<CardId> held = node(name).cards().cards().stream()
                .map(CardState::card)
                .filter(card -> card.held() || cards.contains(card.id()))
                .map(Card::id)
                .collect(Collectors.toSet());
        changed.put(name, node(name).reserved(held));
    }

    private void remove(PodEntry pod, String node) {
        changed.put(
                node,
                node(node)
                        .without(pod.ref().uid())
                        .requested(HostResources.NONE.minus(pod.podDemand().host())));
    }

    private record Place(String node, Allocation allocation) {}

    /** Where the policy would place the pod's successor; empty if it fits nowhere. */
    private Optional<Place> destination(PodEntry pod) {
        PodDemand.Valid demand = known.demand(pod);
        DemandSummary summary = DemandSummary.of(demand.demand());
        String uid = pod.ref().uid();
        return policies.cheapest(
                        demand, changed, (name, node) -> node.refusal(summary) == null && known.accepts(uid, name))
                .flatMap(name -> Placer.place(name, node(name), demand, policies.scoring(demand.policy()))
                                instanceof Placement.Placed(Allocation allocation)
                        ? Optional.of(new Place(name, allocation))
                        : Optional.empty());
    }

    private Stream<CardState> cards(Place place) {
        return node(place.node()).cards().cards().stream()
                .filter(state ->
                        place.allocation().cards().contains(state.card().id()));
    }

    private void add(PodEntry pod, Place place) {
        moved.add(pod.ref().uid());
        changed.put(
                place.node(),
                node(place.node())
                        .with(pod.ref(), place.allocation())
                        .requested(known.demand(pod).host()));
    }

    /** The holders of the card; empty if one of them may not be moved. */
    List<PodEntry> movableHolders(String node, CardId card) {
        List<PodEntry> holders = new ArrayList<>();
        for (NodeCards.Holding holding : node(node).cards().holdings()) {
            if (holding.allocation().cards().contains(card)) {
                Optional<PodEntry> pod = movable(holding.holder().key(), node);
                if (pod.isEmpty()) {
                    return List.of();
                }
                holders.add(pod.get());
            }
        }
        return holders;
    }

    /** What kept the search from looking at some pods, as the end of a sentence; empty if nothing did. */
    String limits() {
        return policies.limited() ? "; pods beyond " + CheapestNodes.MOST_KINDS + " kinds were not looked at" : "";
    }
}
