package io.gpushare.insight.defrag;

import io.gpushare.extender.eviction.PodConditions;
import io.gpushare.extender.ledger.ClusterState;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.ledger.Reservation;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.search.ClusterSearch;
import io.gpushare.extender.search.Move;
import io.gpushare.extender.search.Plan;
import io.gpushare.extender.search.Question;
import io.gpushare.kubernetes.Evictions;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.pod.PodPriority;
import io.gpushare.time.Machine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Advises which pods to move. It searches again and again until the pods of the plan have been read: those that budgets
 * protect, or whose new place only kube-scheduler can know, stay where they are. One search runs at a time, and begins
 * no new round after 10 s. The calls block.
 */
public final class DefragAdvisor {
    /** The most moves of one plan. */
    public static final int MOST_MOVES = 64;

    private static final int MOST_SEARCHES = 16;
    private static final int MOST_WAITING = 4;
    private static final Duration LONGEST = Duration.ofSeconds(10);
    private static final int MOST_QUEUED = 4;

    private final Supplier<ClusterState> states;
    private final Placer placer;
    private final Evictions api;
    private final PodConditions conditions;
    private final Semaphore one = new Semaphore(1);
    // When the search began; who has the semaphore reads and writes it.
    private long began;

    /**
     * Plans for one goal.
     *
     * @param waiting the pod that should fit; null for whole cards
     * @param budgets whether the PodDisruptionBudgets were read, and allow each of the moves
     */
    public record Advised(@Nullable PodRef waiting, Plan plan, boolean budgets) {}

    /** There is no advice now; the message says why. */
    public static final class UnavailableException extends Exception {
        private static final long serialVersionUID = 1;

        UnavailableException(String message) {
            super(message);
        }
    }

    public DefragAdvisor(Supplier<ClusterState> states, Placer placer, Evictions api, PodConditions conditions) {
        this.states = states;
        this.placer = placer;
        this.api = api;
        this.conditions = conditions;
    }

    /** Which moves make that waiting pod fit. */
    public Advised waiting(PodRef pod, int mostMoves) throws UnavailableException {
        return alone(known -> waiting(pod, known, mostMoves));
    }

    /** Which moves free whole cards, and which make some of the waiting pods fit, the most important ones first. */
    public List<Advised> overview(int mostMoves) throws UnavailableException {
        return alone(known -> {
            List<Advised> all = new ArrayList<>();
            all.add(wholeCards(known, mostMoves));
            for (PodEntry pod : waitingPods(states.get())) {
                all.add(waiting(pod.ref(), known, mostMoves));
            }
            return all;
        });
    }

    /** The most important waiting pod of each of some demands that do not fit now. */
    private static List<PodEntry> waitingPods(ClusterState state) {
        Map<List<Object>, PodEntry> byDemand = new LinkedHashMap<>();
        state.waiting().stream()
                .sorted(Comparator.comparing(PodEntry::priority, PodPriority.HIGHEST_FIRST))
                .forEach(pod -> byDemand.putIfAbsent(same(pod), pod));
        return byDemand.values().stream()
                .filter(pod -> state.entries().values().stream().noneMatch(node -> node.refusal(pod.onNode()) == null))
                .limit(MOST_WAITING)
                .toList();
    }

    /** What the same nodes can take, whatever the containers are called. */
    private static List<Object> same(PodEntry pod) {
        Demand demand = pod.demand();
        return List.of(
                demand.total(), demand.split(), demand.selector(), pod.onNode().nodes());
    }

    private Advised wholeCards(LearnedPods known, int mostMoves) throws KubernetesException {
        return settled(null, known, Question.wholeCards(unreserved(), known, mostMoves));
    }

    private Advised waiting(PodRef pod, LearnedPods known, int mostMoves) throws KubernetesException {
        Optional<PodEntry> entry = states.get().pod(pod.uid()).filter(found -> found.node() == null);
        @Nullable String obstacle = entry.isEmpty() ? "it does not wait any more" : known.learnWaiting(pod);
        return obstacle == null
                ? settled(pod, known, Question.moves(entry.orElseThrow(), unreserved(), known, mostMoves))
                : new Advised(pod, new Plan.NotPossible(obstacle), known.budgets());
    }

    /** The nodes where no cards are reserved for moves that go on. */
    private Predicate<String> unreserved() {
        Set<String> reserved =
                states.get().reservedForMoves().stream().map(Reservation::node).collect(Collectors.toSet());
        return node -> !reserved.contains(node);
    }

    private Advised settled(@Nullable PodRef waiting, LearnedPods known, Question question) throws KubernetesException {
        return new Advised(waiting, settled(known, new ClusterSearch(placer, question)), known.budgets());
    }

    /** The plan when all of its pods have been read. */
    private Plan settled(LearnedPods known, ClusterSearch search) throws KubernetesException {
        for (int i = 0; i < MOST_SEARCHES; i++) {
            if (Machine.here().nanos() - began > LONGEST.toNanos()) {
                return new Plan.NotPossible("the pods of the plans could not all be read in time; try again");
            }
            Plan plan = search.plan();
            List<Move> unread = plan instanceof Plan.Leave leave
                    ? leave.moves().filter(move -> !known.knows(move)).toList()
                    : List.of();
            if (unread.isEmpty()) {
                return plan;
            }
            for (Move move : unread) {
                known.learn(move);
            }
        }
        return new Plan.NotPossible("too many of the pods that would have to be moved may not be moved");
    }

    private interface Advice<T> {
        T about(LearnedPods known) throws KubernetesException;
    }

    private <T> T alone(Advice<T> advice) throws UnavailableException {
        try {
            // Those who wait are few: they share their threads with other requests.
            if (one.getQueueLength() >= MOST_QUEUED || !one.tryAcquire(LONGEST.toSeconds(), TimeUnit.SECONDS)) {
                throw new UnavailableException("another search runs; try again");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("the extender is shutting down");
        }
        began = Machine.here().nanos();
        try {
            return advice.about(new LearnedPods(states.get(), api, conditions, api.permitted()));
        } catch (KubernetesException e) {
            throw new UnavailableException("the API server does not answer now: " + e.getMessage());
        } finally {
            one.release();
        }
    }
}
