package io.gpushare.extender.search;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.extender.policy.NodeChooser;
import io.gpushare.extender.policy.scoring.Scoring;
import io.gpushare.model.Allocation;
import io.gpushare.model.HostResources;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.Placement;
import java.util.ArrayList;
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
import org.jspecify.annotations.Nullable;

/**
 * The cluster as it would be after the moves so far, and where the policy would place the next pod. Cards that wait for
 * nominated pods are not free. Not thread-safe.
 */
final class PlannedCluster {
    /** Kinds of pods in one search: the costs of one take up to some tenths of a second at 5,000 nodes. */
    private static final int MOST_KINDS = 16;

    private static final Comparator<PodEntry> LARGEST_FIRST = Comparator.comparingInt(
                    (PodEntry pod) -> pod.demand().total().units())
            .reversed()
            .thenComparing(pod -> pod.ref().uid());

    private final Placer placer;
    private final PodKnowledge known;
    private final Map<String, NodeEntry> nodes = new HashMap<>();
    private final Map<@Nullable PolicyKind, Priced> policies = new HashMap<>();
    private final Set<Kind> kinds = new HashSet<>();
    private final Set<String> changed = new HashSet<>();
    private final Set<String> moved = new HashSet<>();
    // The nodes as they were before the moves of the departure that is being planned.
    private final Map<String, NodeEntry> before = new HashMap<>();
    private boolean limited;

    private record Kind(@Nullable PolicyKind policy, PodRequest request) {}

    private record Priced(Scoring scoring, NodeChooser chooser) {}

    /** @param known null if no pod is moved */
    PlannedCluster(Placer placer, @Nullable PodKnowledge known) {
        this.placer = placer;
        Ledger ledger = placer.ledger();
        this.known = Objects.requireNonNullElse(known, PodKnowledge.NONE);
        if (known != null) {
            nodes.putAll(ledger.nodeEntries());
            nodes.putAll(ledger.nodesApart("", Integer.MIN_VALUE));
            nodes.values().removeIf(node -> node.unavailable() != null);
        }
    }

    NodeEntry node(String name) {
        return Objects.requireNonNull(nodes.get(name));
    }

    boolean changed(String name) {
        return changed.contains(name);
    }

    boolean moved(String uid) {
        return moved.contains(uid);
    }

    /**
     * Moves the pods away from the node, the largest first. Its cards accept no pods from now on. It is empty, and
     * nothing changes, if one of the pods fits nowhere else.
     *
     * @param allowed which of the places that the policy chooses are accepted
     */
    Optional<Departure> move(Departure departure, Predicate<CardState> allowed) {
        String from = departure.node();
        before.clear();
        hold(from, departure.cards());
        List<Move> moves = new ArrayList<>();
        for (PodEntry pod : departure.pods().stream().sorted(LARGEST_FIRST).toList()) {
            put(
                    from,
                    node(from)
                            .without(pod.ref().uid())
                            .requested(HostResources.NONE.minus(pod.podDemand().host())));
            Optional<Move> move = move(pod, from, allowed);
            if (move.isEmpty()) {
                Map.copyOf(before).forEach(this::put);
                return Optional.empty();
            }
            moves.add(move.get());
        }
        changed.addAll(before.keySet());
        moved.addAll(departure.uids());
        return Optional.of(departure.with(moves));
    }

    private void put(String name, NodeEntry node) {
        before.putIfAbsent(name, Objects.requireNonNull(nodes.put(name, node)));
        policies.values().forEach(policy -> policy.chooser().update(name, node));
    }

    private void hold(String name, Set<CardId> cards) {
        Set<CardId> held = node(name).cards().cards().stream()
                .map(CardState::card)
                .filter(card -> card.held() || cards.contains(card.id()))
                .map(Card::id)
                .collect(Collectors.toSet());
        put(name, node(name).reserved(held));
    }

    /** Moves the pod to where the policy would place its successor; empty if it fits nowhere. */
    private Optional<Move> move(PodEntry pod, String from, Predicate<CardState> allowed) {
        PodDemand.Valid demand = known.demand(pod);
        @Nullable String to = destination(pod, demand);
        if (to == null
                || !(Placer.place(node(to), demand, priced(demand).scoring())
                        instanceof Placement.Placed(Allocation allocation))
                || !node(to).cards().cards().stream()
                        .filter(state ->
                                allocation.cards().contains(state.card().id()))
                        .allMatch(allowed)) {
            return Optional.empty();
        }
        put(to, node(to).with(pod.ref(), allocation).requested(demand.host()));
        return Optional.of(new Move(pod.ref(), Objects.requireNonNull(pod.controller()), from, to, allocation.cards()));
    }

    private @Nullable String destination(PodEntry pod, PodDemand.Valid demand) {
        Kind kind = new Kind(demand.policy(), demand.request());
        if (kinds.size() >= MOST_KINDS && !kinds.contains(kind)) {
            limited = true;
            return null;
        }
        kinds.add(kind);
        Priced policy = priced(demand);
        return policy.chooser()
                .choose(
                        policy.scoring(),
                        demand.request(),
                        node -> node(node.name()).refusal(demand.demand()) == null
                                && known.accepts(pod.ref().uid(), node.name()))
                .map(NodeChooser.Chosen::node)
                .orElse(null);
    }

    /** The scoring of the pod's policy, the same during the search, and the costs by it. */
    private Priced priced(PodDemand.Valid demand) {
        return policies.computeIfAbsent(
                demand.policy(),
                policy -> new Priced(
                        placer.scoring(policy),
                        new NodeChooser(nodes.entrySet().stream()
                                .map(node -> KnownNode.of(node.getKey(), node.getValue()))
                                .toList())));
    }

    /** What kept the search from looking at some pods, as the end of a sentence; empty if nothing did. */
    String limits() {
        return limited ? "; pods beyond " + MOST_KINDS + " kinds were not looked at" : "";
    }
}
