package io.gpushare.extender.scheduling;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.pod.NodeDemand;
import io.gpushare.model.Allocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Placement;
import io.gpushare.model.pod.PodPriority;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The pods that kube-scheduler should retry: it has found no node for them, and now one fits. kube-scheduler notices
 * many events that free cards, but not all (a card that has recovered, an assumption that is forgotten), and may retry
 * before the ledger knows. Pods with claims are counted, and left to kube-scheduler.
 *
 * <p>Each round evaluates the whole state, so no event is missed and nothing must survive a restart. It names the pods
 * that fit, by priority, each on what the pods before it leave free, so about as many as can be bound. A pod that stays
 * unbound (because of a volume or another pod) yields to the others after a second, and is named again at growing
 * intervals, until a node fits that did not fit before. Not thread-safe, but for the counts.
 */
public final class WaitingPods {
    /** Within this time kube-scheduler has often retried the pod by itself. */
    private static final Duration GRACE = Duration.ofMillis(200);
    /** For this time the cards stay reserved for a pod that was named. */
    private static final Duration TURN = Duration.ofSeconds(1);

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);
    private static final int MAX_PER_ROUND = 50;
    /** At 5,000 nodes these take less than a tenth of a second; users can create pods with any number of demands. */
    static final int DEMANDS_PER_ROUND = 64;

    private final Ledger ledger;
    private final AtomicLong namedTotal = new AtomicLong();
    private final Map<String, Attempts> attempts = new HashMap<>();
    private Map<String, FreeOnNode> before = Map.of();
    // The least recently evaluated first.
    private final Map<NodeDemand, WaitReason> reasons = new LinkedHashMap<>();
    private volatile Map<WaitReason, Integer> counts = Map.of();

    /**
     * How often a pod that fits was named.
     *
     * @param at the last time, or since when the pod fits
     */
    private record Attempts(Instant at, int times) {
        boolean hasTurn(Instant now) {
            return times > 0 && now.isBefore(at.plus(TURN));
        }

        boolean due(Instant now) {
            return !now.isBefore(at.plus(pause()));
        }

        private Duration pause() {
            if (times == 0) {
                return GRACE;
            }
            Duration pause = TURN.multipliedBy(1L << Math.min(times - 1, 20));
            return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
        }
    }

    public WaitingPods(Ledger ledger) {
        this.ledger = ledger;
    }

    /** The number of times that a pod was named. */
    public long named() {
        return namedTotal.get();
    }

    /** The number of waiting pods by reason in the last round; a reason without pods may be missing. */
    public Map<WaitReason, Integer> counts() {
        return counts;
    }

    /** The pods to retry now. */
    public List<PodRef> due(Instant now) {
        List<PodEntry> pods = Stream.concat(ledger.waiting().stream(), ledger.waitingForOthers().stream())
                .toList();
        Map<String, FreeOnNode> nodes = pods.isEmpty() ? Map.of() : nodes();
        Set<NodeDemand> fittingAgain = evaluate(pods, nodes);
        before = nodes;
        counts = counts(pods);
        List<PodEntry> candidates = pods.stream()
                .filter(pod -> reasons.get(pod.onNode()) == WaitReason.FITS && !pod.ofOthers())
                .toList();
        attempts.keySet()
                .retainAll(candidates.stream().map(pod -> pod.ref().uid()).collect(Collectors.toSet()));
        for (PodEntry pod : candidates) {
            attempts.merge(
                    pod.ref().uid(),
                    new Attempts(now, 0),
                    (old, fresh) -> fittingAgain.contains(pod.onNode())
                            ? new Attempts(old.at(), Math.min(old.times(), 1))
                            : old);
        }
        return named(candidates, nodes, now);
    }

    private Map<WaitReason, Integer> counts(List<PodEntry> pods) {
        Map<WaitReason, Integer> count = new EnumMap<>(WaitReason.class);
        pods.stream()
                .flatMap(pod -> Optional.ofNullable(reasons.get(pod.onNode())).stream())
                .forEach(reason -> count.merge(reason, 1, Integer::sum));
        count.put(WaitReason.INVALID, ledger.invalidWaiting());
        count.put(WaitReason.GATED, ledger.gated());
        return Collections.unmodifiableMap(count);
    }

    private Map<String, FreeOnNode> nodes() {
        Map<String, FreeOnNode> nodes = new HashMap<>();
        ledger.nodeEntries().forEach((name, entry) -> {
            Share allocatable = ledger.allocatable(name);
            FreeOnNode old = before.get(name);
            nodes.put(name, old != null && old.isOf(entry, allocatable) ? old : FreeOnNode.of(entry, allocatable));
        });
        return nodes;
    }

    /**
     * Decides why demands wait: all of them or, where there are very many, the new ones and those that were decided
     * longest ago.
     *
     * @return the demands that a node can take that could not in the last round
     */
    private Set<NodeDemand> evaluate(List<PodEntry> pods, Map<String, FreeOnNode> nodes) {
        Set<NodeDemand> demands = pods.stream().map(PodEntry::onNode).collect(Collectors.toSet());
        reasons.keySet().retainAll(demands);
        List<NodeDemand> turn = Stream.concat(
                        demands.stream().filter(demand -> !reasons.containsKey(demand)), reasons.keySet().stream())
                .limit(DEMANDS_PER_ROUND)
                .toList();
        Set<NodeDemand> fittingAgain = new HashSet<>();
        for (NodeDemand demand : turn) {
            reasons.remove(demand);
            reasons.put(demand, evaluate(demand, nodes, fittingAgain));
        }
        return fittingAgain;
    }

    private WaitReason evaluate(NodeDemand demand, Map<String, FreeOnNode> nodes, Set<NodeDemand> fittingAgain) {
        boolean possible = false;
        boolean accepted = true;
        boolean fits = false;
        for (Map.Entry<String, FreeOnNode> node : nodes.entrySet()) {
            @Nullable Reason refusal = node.getValue().entry().refusal(demand);
            possible |= possible(refusal);
            accepted &= refusal == null
                    || !refusal.ofNode()
                    || !possible(node.getValue().entry().refusal(demand.anywhere()));
            if (refusal == null && node.getValue().offers(demand)) {
                fits = true;
                FreeOnNode old = before.get(node.getKey());
                if (old == null || !old.takes(demand)) {
                    fittingAgain.add(demand);
                    break;
                }
            }
        }
        if (possible) {
            return fits ? WaitReason.FITS : shortage(demand, nodes.values());
        }
        return accepted ? WaitReason.IMPOSSIBLE : WaitReason.NOT_ACCEPTED;
    }

    private static boolean possible(@Nullable Reason refusal) {
        return refusal == null || refusal.resolvable() || refusal.equals(Reason.NOT_RENEWED);
    }

    private static WaitReason shortage(NodeDemand demand, Collection<FreeOnNode> nodes) {
        Share missing = demand.cards().total();
        for (FreeOnNode node : nodes) {
            @Nullable Reason refusal = node.entry().refusal(demand);
            if (node.entry().unavailable(demand) == null && (refusal == null || !refusal.ofNode())) {
                for (CardState state : node.entry().cards().cards()) {
                    missing = state.acceptedBy(demand.cards().selector()) ? missing.minus(state.free()) : missing;
                }
            }
            if (missing.isNone()) {
                return WaitReason.FRAGMENTED;
            }
        }
        return WaitReason.FULL;
    }

    private List<PodRef> named(List<PodEntry> candidates, Map<String, FreeOnNode> nodes, Instant now) {
        Round round = new Round(nodes);
        List<PodRef> named = new ArrayList<>();
        List<PodEntry> inOrder = candidates.stream()
                .sorted(Comparator.comparing((PodEntry pod) -> !of(pod).hasTurn(now))
                        .thenComparingInt(pod -> of(pod).times())
                        .thenComparing(PodEntry::priority, PodPriority.HIGHEST_FIRST))
                .toList();
        for (PodEntry pod : inOrder) {
            Attempts last = of(pod);
            boolean due = last.due(now);
            boolean competes = last.hasTurn(now) || due || last.times() == 0;
            if (competes && named.size() < MAX_PER_ROUND && round.take(pod) && due) {
                named.add(pod.ref());
                attempts.put(pod.ref().uid(), new Attempts(now, last.times() + 1));
            }
        }
        namedTotal.addAndGet(named.size());
        return named;
    }

    private Attempts of(PodEntry pod) {
        return Objects.requireNonNull(attempts.get(pod.ref().uid()));
    }

    /**
     * A node and what its kubelet can still allocate. kube-scheduler goes by the latter, and sees changes of it late.
     *
     * @param left what is left of {@code allocatable}
     */
    private record FreeOnNode(NodeEntry entry, Share allocatable, Share left) {
        static FreeOnNode of(NodeEntry entry, Share allocatable) {
            Share left = allocatable;
            for (NodeCards.Holding holding : entry.cards().holdings()) {
                Allocation held = holding.allocation();
                for (CardId card : held.cards()) {
                    left = left.minus(held.shareOn(card).counted());
                }
            }
            return new FreeOnNode(entry, allocatable, left);
        }

        @SuppressWarnings("ReferenceEquality") // each change replaces the entry, and comparing its contents is slow
        boolean isOf(NodeEntry now, Share allocatableNow) {
            return entry == now && allocatable.equals(allocatableNow);
        }

        boolean takes(NodeDemand demand) {
            return entry.refusal(demand) == null && offers(demand);
        }

        boolean offers(NodeDemand demand) {
            return demand.foreign() || demand.cards().total().counted().fits(left);
        }

        /** The node with the pod on it; empty if no cards fit. */
        Optional<FreeOnNode> with(PodEntry pod) {
            return entry.cards().place(pod.demand()) instanceof Placement.Placed(Allocation allocation)
                    ? Optional.of(FreeOnNode.of(entry.with(pod.ref(), allocation), allocatable))
                    : Optional.empty();
        }
    }

    /** What is free on the nodes, less what the pods named in this round would take. */
    private static final class Round {
        private final Map<String, FreeOnNode> nodes;
        private final List<String> names;
        // Free capacity only shrinks within a round, so the same demand need not try the first nodes again.
        private final Map<NodeDemand, Integer> from = new HashMap<>();

        Round(Map<String, FreeOnNode> nodes) {
            this.nodes = new HashMap<>(nodes);
            this.names = List.copyOf(nodes.keySet());
        }

        boolean take(PodEntry pod) {
            NodeDemand demand = pod.onNode();
            for (int i = from.getOrDefault(demand, 0); i < names.size(); i++) {
                FreeOnNode node = Objects.requireNonNull(nodes.get(names.get(i)));
                Optional<FreeOnNode> less = node.takes(demand) ? node.with(pod) : Optional.empty();
                if (less.isPresent()) {
                    from.put(demand, i);
                    nodes.put(names.get(i), less.get());
                    return true;
                }
            }
            from.put(demand, names.size());
            return false;
        }
    }
}
