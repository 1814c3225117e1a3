package io.gpushare.extender.search;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.search.LeavingSearch.Leaving;
import io.gpushare.model.Allocation;
import io.gpushare.model.Demand;
import io.gpushare.model.HostResources;
import io.gpushare.model.card.CardId;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Placement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Answers a {@link Question}: of the sets of pods that must leave a node ({@link LeavingSearch}), the least harmful
 * ones whose pods also free enough of the node's CPU and memory, and fit elsewhere if they are moved.
 *
 * <p>At most {@value #MOST_NODES} nodes are searched, those with the least important pods and the cheapest cards, and
 * at most {@value #MOST_TRIED} sets are tried. Cards that pods are already moved away from come first.
 */
public final class ClusterSearch {
    private static final int MOST_NODES = 500;
    private static final int MOST_TRIED = 256;

    private final Placer placer;
    private final Ledger ledger;
    private final Question question;
    private final Demand demand;

    /**
     * A node on which the demand would fit if pods left.
     *
     * @param mayLeave the pods that may leave it, by uid
     * @param lowest the lowest priority among them
     * @param card the harm if all of them left the cheapest card
     */
    private record Candidate(String name, NodeEntry node, Map<String, Harm> mayLeave, int lowest, Harm card) {
        private static final Comparator<Candidate> PROMISING_FIRST = Comparator.comparingInt(Candidate::lowest)
                .thenComparing(Candidate::card)
                .thenComparing(Candidate::name);

        static Candidate of(String name, NodeEntry node, Map<String, Harm> mayLeave) {
            Map<CardId, Harm> byCard = new HashMap<>();
            for (NodeCards.Holding holding : node.cards().holdings()) {
                @Nullable Harm harm = mayLeave.get(holding.holder().uid());
                if (harm != null) {
                    holding.allocation().cards().forEach(card -> byCard.merge(card, harm, Harm::plus));
                }
            }
            return new Candidate(
                    name,
                    node,
                    mayLeave,
                    mayLeave.values().stream().mapToInt(Harm::highest).min().orElse(Integer.MAX_VALUE),
                    byCard.values().stream().min(Comparator.naturalOrder()).orElse(Harm.NONE));
        }
    }

    public ClusterSearch(Placer placer, Question question) {
        this.placer = placer;
        this.ledger = placer.ledger();
        this.question = question;
        this.demand = question.demand().demand();
    }

    /**
     * The least harmful set of pods, by uid, that must leave that node, the most harmful first; empty if none suffices.
     * Its CPU and memory are not considered.
     *
     * @param gone uids of pods that leave it anyway
     */
    public Optional<List<String>> onNode(String name, Collection<String> gone) {
        NodeEntry node = ledger.nodeEntryFor(uid(), question.priority(), name);
        if (node.unavailable() != null) {
            return Optional.empty();
        }
        NodeCards cards = node.cards().without(gone);
        return LeavingSearch.sets(cards, demand, mayLeave(name, cards)).stream()
                .findFirst()
                .map(Leaving::uids);
    }

    public Plan plan() {
        Map<String, NodeEntry> nodes = new TreeMap<>(ledger.nodeEntries());
        nodes.putAll(ledger.nodesApart(uid(), question.priority()));
        List<Candidate> candidates = new ArrayList<>();
        boolean cardsAreFree = false;
        boolean resolvable = false;
        for (Map.Entry<String, NodeEntry> each : nodes.entrySet()) {
            String name = each.getKey();
            NodeEntry node = view(each.getValue());
            @Nullable Reason refusal = node.refusal(question.demand().onNode());
            if ((refusal != null && !refusal.resolvable()) || !question.nodes().test(name)) {
                continue;
            }
            if (refusal == null && hostFits(node, HostResources.NONE)) {
                return new Plan.NotNeeded(name);
            }
            cardsAreFree |= refusal == null;
            resolvable |= refusal != null;
            Map<String, Harm> mayLeave = refusal == null ? Map.of() : mayLeave(name, node.cards());
            if (!mayLeave.isEmpty()) {
                candidates.add(Candidate.of(name, node, mayLeave));
            }
        }
        PlannedCluster planned = new PlannedCluster(placer, question.moves());
        List<Departure> chosen = choose(possible(candidates), planned);
        return chosen.isEmpty()
                ? new Plan.NotPossible(why(cardsAreFree, resolvable) + planned.limits())
                : new Plan.Leave(chosen);
    }

    private String why(boolean cardsAreFree, boolean resolvable) {
        if (question.pod() == null) {
            return "no card can be freed by moving its pods to other cards in use";
        }
        if (resolvable) {
            return "the pods that would have to be moved for it fit nowhere else, or may not be moved";
        }
        return cardsAreFree
                ? "the nodes with enough free on their cards lack CPU or memory"
                : "no node could take it, even with other pods moved away";
    }

    private String uid() {
        return Objects.requireNonNullElse(question.pod(), "");
    }

    /**
     * The node as it counts for this question. Cards from which pods are moved away are open again. If as many cards as
     * possible are to be freed, unused ones do not count.
     */
    private NodeEntry view(NodeEntry node) {
        if (question.moves() == null || node.unavailable() != null) {
            return node;
        }
        Set<CardId> unused = question.pod() != null
                ? Set.of()
                : node.cards().cards().stream()
                        .filter(CardState::unused)
                        .map(state -> state.card().id())
                        .collect(Collectors.toSet());
        return node.reserved(unused);
    }

    private Map<String, Harm> mayLeave(String name, NodeCards cards) {
        Map<String, Harm> mayLeave = new HashMap<>();
        for (NodeCards.Holding holding : cards.holdings()) {
            ledger.podEntry(holding.holder().uid())
                    .filter(pod ->
                            name.equals(pod.node()) && question.mayLeave().test(pod))
                    .ifPresent(pod -> mayLeave.put(pod.ref().uid(), question.harm(pod, cards)));
        }
        return mayLeave;
    }

    private List<Departure> possible(List<Candidate> candidates) {
        return candidates.stream()
                .sorted(Candidate.PROMISING_FIRST)
                .limit(MOST_NODES)
                .flatMap(node -> LeavingSearch.sets(node.node().cards(), demand, node.mayLeave()).stream()
                        .flatMap(leaving -> departure(node.name(), node.node(), leaving.uids()).stream()))
                .sorted(Comparator.comparing((Departure departure) -> !held(departure))
                        .thenComparing(Departure::harm)
                        .thenComparing(Departure::node))
                .limit(MOST_TRIED)
                .toList();
    }

    /** Whether pods are moved away from these cards already. */
    private boolean held(Departure departure) {
        return ledger.nodeEntry(departure.node()).cards().cards().stream()
                .anyMatch(state -> state.card().held()
                        && departure.cards().contains(state.card().id()));
    }

    /** What follows if these pods leave the node; empty if its cards, CPU and memory do not suffice then. */
    private Optional<Departure> departure(String name, NodeEntry node, List<String> uids) {
        List<PodEntry> leaving =
                uids.stream().flatMap(uid -> ledger.podEntry(uid).stream()).toList();
        HostResources freed =
                leaving.stream().map(pod -> pod.podDemand().host()).reduce(HostResources.NONE, HostResources::plus);
        List<PodEntry> pods =
                leaving.stream().filter(pod -> !pod.priority().terminating()).toList();
        return leaving.size() == uids.size()
                        && pods.size() <= question.mostPods()
                        && hostFits(node, freed)
                        && node.cards().without(uids).place(demand) instanceof Placement.Placed(Allocation allocation)
                ? Optional.of(new Departure(
                        name,
                        allocation.cards(),
                        pods,
                        List.of(),
                        Harm.sum(pods.stream()
                                .map(pod -> question.harm(pod, node.cards()))
                                .toList())))
                : Optional.empty();
    }

    /** Whether the node has the CPU and memory, once that much of it is freed. */
    private boolean hostFits(NodeEntry node, HostResources freed) {
        HostResources left = node.allocatable().minus(node.requested()).plus(freed);
        HostResources host = question.demand().host();
        return (host.cpuMilli() == 0 || host.cpuMilli() <= left.cpuMilli())
                && (host.memoryMib() == 0 || host.memoryMib() <= left.memoryMib());
    }

    /** The first that can be made, or all of them if as many cards as possible are to be freed. */
    private List<Departure> choose(List<Departure> possible, PlannedCluster planned) {
        if (question.moves() == null) {
            return possible.stream().limit(1).toList();
        }
        List<Departure> chosen = new ArrayList<>();
        int left = question.mostPods();
        for (Departure departure : possible) {
            Optional<Departure> made = departure.pods().size() > left
                    ? Optional.empty()
                    : current(departure, planned)
                            .flatMap(now -> planned.move(now, state -> question.pod() != null || !state.unused()));
            made.ifPresent(chosen::add);
            left -= made.map(now -> now.pods().size()).orElse(0);
            if (!chosen.isEmpty() && question.pod() != null) {
                break;
            }
        }
        return chosen;
    }

    /**
     * The departure on the node as it is after the moves so far; empty if some of its pods have moved, or others have
     * come.
     */
    private Optional<Departure> current(Departure departure, PlannedCluster planned) {
        String name = departure.node();
        if (departure.uids().stream().anyMatch(planned::moved)) {
            return Optional.empty();
        }
        return planned.changed(name)
                ? departure(name, view(planned.node(name)), departure.uids())
                : Optional.of(departure);
    }
}
