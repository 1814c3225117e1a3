package io.gpushare.extender.eviction;

import io.gpushare.extender.defrag.DefragAdvice;
import io.gpushare.extender.defrag.DefragPlan;
import io.gpushare.extender.defrag.Move;
import io.gpushare.extender.defrag.WaitingPodSearch;
import io.gpushare.extender.defrag.WholeCardSearch;
import io.gpushare.extender.feasibility.DemandSummary;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.ledger.Reservation;
import io.gpushare.extender.ledger.Reservation.Source;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.PodPriority;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.eviction.Evictions;
import io.gpushare.model.PodRef;
import io.gpushare.model.node.NodeFacts;
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
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Searches again and again until the pods of the plan have been read: those that budgets protect, or whose new place only
 * kube-scheduler can know, stay where they are. One search runs at a time, and begins no new
 * round after 10 s.
 */
public final class DefragAdvisor implements DefragAdvice {
    private static final int MOST_SEARCHES = 16;
    private static final int MOST_WAITING = 4;
    private static final Duration LONGEST = Duration.ofSeconds(10);
    private static final int MOST_QUEUED = 4;

    private final Placer placer;
    private final Ledger ledger;
    private final Evictions api;
    private final Function<String, @Nullable NodeFacts> nodes;
    private final PodConditions conditions;
    private final Semaphore one = new Semaphore(1);
    // When the search began; who has the semaphore reads and writes it.
    private long began;

    /**
     * An advisor on that ledger.
     *
     * @param nodes what pods may require of a node, by name
     * @param resources the names of the resources that the ledger counts
     */
    public DefragAdvisor(
            Placer placer, Evictions api, Function<String, @Nullable NodeFacts> nodes, Set<String> resources) {
        this.placer = placer;
        this.ledger = placer.ledger();
        this.api = api;
        this.nodes = nodes;
        this.conditions = new PodConditions(resources);
    }

    @Override
    public Advised wholeCards(String run, int mostMoves) throws UnavailableException {
        return alone(known -> wholeCards(known, run, mostMoves));
    }

    @Override
    public Advised waiting(PodRef pod, String run, int mostMoves) throws UnavailableException {
        return alone(known -> waiting(pod, known, run, mostMoves));
    }

    @Override
    public List<Advised> overview(String run, int mostMoves) throws UnavailableException {
        return alone(known -> {
            List<Advised> all = new ArrayList<>();
            all.add(wholeCards(known, run, mostMoves));
            for (PodEntry pod : waitingPods()) {
                all.add(waiting(pod.ref(), known, run, mostMoves));
            }
            return all;
        });
    }

    /** The most important waiting pod of each of some demands that do not fit now. */
    private List<PodEntry> waitingPods() {
        Map<DemandSummary, PodEntry> byDemand = new LinkedHashMap<>();
        ledger.waiting().stream()
                .sorted(Comparator.comparing(PodEntry::priority, PodPriority.HIGHEST_FIRST))
                .forEach(pod -> byDemand.putIfAbsent(DemandSummary.of(pod.demand()), pod));
        return byDemand.entrySet().stream()
                .filter(each ->
                        ledger.nodeEntries().values().stream().noneMatch(node -> node.refusal(each.getKey()) == null))
                .map(Map.Entry::getValue)
                .limit(MOST_WAITING)
                .toList();
    }

    private Advised wholeCards(LearnedPods known, String run, int mostMoves) throws KubernetesException {
        WholeCardSearch search = new WholeCardSearch(placer, known, free(run));
        return new Advised(null, settled(known, () -> search.plan(mostMoves)), known.budgets());
    }

    private Advised waiting(PodRef pod, LearnedPods known, String run, int mostMoves) throws KubernetesException {
        Optional<PodEntry> entry = ledger.podEntry(pod.uid()).filter(found -> found.node() == null);
        @Nullable String obstacle = entry.isEmpty() ? "it does not wait any more" : known.learnWaiting(pod);
        if (obstacle != null || entry.isEmpty()) {
            return new Advised(pod, new DefragPlan.NotPossible(String.valueOf(obstacle)), known.budgets());
        }
        WaitingPodSearch search = new WaitingPodSearch(placer, entry.get(), known, free(run));
        return new Advised(pod, settled(known, () -> search.plan(mostMoves)), known.budgets());
    }

    /** The nodes where no other run reserves cards. */
    private Predicate<String> free(String run) {
        Set<String> reserved = ledger.reservations(source -> source == Source.DEFRAGMENTATION).stream()
                .filter(each -> !each.run().equals(run))
                .map(Reservation::node)
                .collect(Collectors.toSet());
        return node -> !reserved.contains(node);
    }

    private interface Search {
        DefragPlan plan();
    }

    /** The plan when all of its pods have been read. */
    private DefragPlan settled(LearnedPods known, Search search) throws KubernetesException {
        for (int i = 0; i < MOST_SEARCHES; i++) {
            if (System.nanoTime() - began > LONGEST.toNanos()) {
                return new DefragPlan.NotPossible("the pods of the plans could not all be read in time; try again");
            }
            DefragPlan plan = search.plan();
            List<Move> unread = plan instanceof DefragPlan.Moves moves
                    ? moves.moves().filter(move -> !known.knows(move)).toList()
                    : List.of();
            if (unread.isEmpty()) {
                return plan;
            }
            for (Move move : unread) {
                known.learn(move);
            }
        }
        return new DefragPlan.NotPossible("too many of the pods that would have to be moved may not be moved");
    }

    private interface Question<T> {
        T answer(LearnedPods known) throws KubernetesException;
    }

    private <T> T alone(Question<T> question) throws UnavailableException {
        try {
            // Those who wait are few: they share their threads with other requests.
            if (one.getQueueLength() >= MOST_QUEUED || !one.tryAcquire(LONGEST.toSeconds(), TimeUnit.SECONDS)) {
                throw new UnavailableException("another search runs; try again");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("the extender is shutting down");
        }
        began = System.nanoTime();
        try {
            return question.answer(new LearnedPods(ledger, api, conditions, nodes, api.permitted()));
        } catch (KubernetesException e) {
            throw new UnavailableException("the API server does not answer now: " + e.getMessage());
        } finally {
            one.release();
        }
    }
}
