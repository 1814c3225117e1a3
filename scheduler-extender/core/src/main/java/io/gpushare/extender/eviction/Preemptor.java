package io.gpushare.extender.eviction;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.ledger.Reservation;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.preemption.PreemptionCounts;
import io.gpushare.extender.preemption.PreemptionCounts.Eviction;
import io.gpushare.extender.preemption.PreemptionTurns;
import io.gpushare.extender.search.ClusterSearch;
import io.gpushare.extender.search.Departure;
import io.gpushare.extender.search.Plan;
import io.gpushare.extender.search.Question;
import io.gpushare.kubernetes.Evictions;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.eviction.PodDetails;
import io.gpushare.kubernetes.eviction.PodStatusPatch;
import io.gpushare.model.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt to evict pods for a waiting pod: it finds the least harmful evictions that the PodDisruptionBudgets
 * allow, reserves the cards for the pod, and evicts. Cards are reserved first, in the ledger and then in the pod's
 * status, so that no pod that the victims' controllers create takes them, whoever leads then.
 */
final class Preemptor {
    private static final Logger LOG = LoggerFactory.getLogger(Preemptor.class);
    // Each search excludes pods that budgets protect. With so many protected, the pod is tried again later.
    private static final int MOST_SEARCHES = 16;

    private static final Attempt FORBIDDEN =
            new Attempt.Failed("PodDisruptionBudgets forbid the evictions that would make it fit", true);

    private final Placer placer;
    private final Ledger ledger;
    private final Evictions api;
    private final VictimCheck check;
    private final PreemptionEvents events;
    private final PodConditions conditions;
    private final Parts parts;

    /**
     * What it works with.
     *
     * @param conditions where the waiting pod could be placed
     * @param mayWrite whether this extender leads; checked before each change
     */
    record Parts(
            PodConditions conditions,
            BooleanSupplier mayWrite,
            InstantSource wall,
            InstantSource steady,
            PreemptionCounts counts) {}

    Preemptor(Placer placer, Evictions api, PreemptionEvents events, Parts parts) {
        this.placer = placer;
        this.ledger = placer.ledger();
        this.api = api;
        this.check = new VictimCheck(api);
        this.events = events;
        this.conditions = parts.conditions();
        this.parts = parts;
    }

    /** @param passedOver the nodes on which nothing is evicted for it */
    Attempt attempt(PodEntry pod, Set<String> passedOver) throws KubernetesException {
        // Most pods are decided on without a call. A node on which the pod fits may be one that it does not accept.
        Plan first = plan(Question.eviction(pod, name -> !passedOver.contains(name), Set.of()));
        return first instanceof Plan.NotPossible ? new Attempt.NotPossible() : possible(pod, passedOver);
    }

    private Attempt possible(PodEntry pod, Set<String> passedOver) throws KubernetesException {
        Optional<PodDetails> read = api.pod(pod.ref().namespace(), pod.ref().name())
                .filter(found -> found.ref().uid().equals(pod.ref().uid())
                        && found.node() == null
                        && !found.deleting()
                        && !found.ended());
        if (read.isEmpty()) {
            return new Attempt.Failed("it does not wait any more");
        }
        @Nullable String obstacle = obstacle(read.get());
        if (obstacle != null) {
            return new Attempt.Failed(obstacle);
        }
        Predicate<String> nodes = name -> !passedOver.contains(name) && conditions.admit(read.get(), name);
        Set<String> spared = new HashSet<>();
        for (int i = 0; i < MOST_SEARCHES; i++) {
            switch (plan(Question.eviction(pod, nodes, spared))) {
                case Plan.NotNeeded _ -> {
                    return new Attempt.NotPossible();
                }
                case Plan.NotPossible _ -> {
                    return spared.isEmpty()
                            ? new Attempt.Failed("it does not accept the nodes where evictions would make it fit")
                            : FORBIDDEN;
                }
                case Plan.Leave(List<Departure> departures) -> {
                    Departure plan = departures.getFirst();
                    if (plan.pods().isEmpty()) {
                        // It fits once the terminating pods are gone.
                        return new Attempt.NotPossible();
                    }
                    switch (check.check(plan.node(), plan.pods())) {
                        case VictimCheck.Result.Changed() -> {
                            return new Attempt.Failed("the pods on node " + plan.node() + " are changing");
                        }
                        case VictimCheck.Result.Spare(Set<String> uids) -> spared.addAll(uids);
                        case VictimCheck.Result.Clear(Duration grace) -> {
                            return evict(pod, plan, spared, grace);
                        }
                    }
                }
            }
        }
        return FORBIDDEN;
    }

    private Plan plan(Question question) {
        return new ClusterSearch(placer, question).plan();
    }

    /** Why pods are not evicted for that pod, whatever the nodes are; null if they may be. */
    private @Nullable String obstacle(PodDetails pod) {
        if (!pod.preemption().allowed()) {
            return "its preemptionPolicy is Never";
        }
        return conditions.obstacle(pod);
    }

    /** The ledger reserves the cards first: no pod is bound to them while the API server's watch has not shown it. */
    private Attempt evict(PodEntry pod, Departure plan, Set<String> spared, Duration grace) {
        Instant until = PreemptionTurns.until(grace, parts.steady().instant());
        Reservation reserved = Reservation.eviction(pod.ref().uid(), plan.node(), Set.copyOf(plan.uids()), until);
        ledger.reserve(reserved);
        Attempt attempt = evictReserved(pod, plan, spared, until);
        if (!(attempt instanceof Attempt.Evicted)) {
            ledger.endReservation(reserved);
        }
        return attempt;
    }

    private Attempt evictReserved(PodEntry pod, Departure plan, Set<String> spared, Instant until) {
        Plan now = plan(Question.eviction(pod, plan.node()::equals, spared));
        if (!(now instanceof Plan.Leave(List<Departure> departures))
                || !departures.getFirst().uids().equals(plan.uids())) {
            return new Attempt.Failed("the pods on node " + plan.node() + " are changing");
        }
        if (!parts.mayWrite().getAsBoolean() || !waits(pod)) {
            return new Attempt.Failed("it does not wait any more");
        }
        try {
            api.patch(pod.ref(), PodStatusPatch.held(plan.node(), parts.wall().instant()));
        } catch (KubernetesException e) {
            return new Attempt.Failed("its status can't be changed: " + e.getMessage());
        }
        LOG.info(
                "pod {}: evicting {} pods from node {}, where cards are reserved for it: {}",
                pod.ref(),
                plan.pods().size(),
                plan.node(),
                plan.pods().stream().map(PodEntry::ref).toList());
        List<PodEntry> evicted = new ArrayList<>();
        for (PodEntry victim : plan.pods().reversed()) {
            if (!parts.mayWrite().getAsBoolean() || !waits(pod)) {
                break;
            }
            boolean maybe = evict(pod, victim, plan.node());
            if (!maybe) {
                break;
            }
            evicted.add(victim);
        }
        if (evicted.isEmpty()) {
            release(pod.ref(), "EvictionRefused", "no pod was evicted");
            return new Attempt.Failed("the API server refuses to evict pods that it would have evicted before");
        }
        Set<String> leaving =
                evicted.stream().map(victim -> victim.ref().uid()).collect(Collectors.toUnmodifiableSet());
        ledger.reserve(Reservation.eviction(pod.ref().uid(), plan.node(), leaving, until));
        events.preempting(pod.ref(), evicted.size(), plan.node());
        return new Attempt.Evicted(plan.node());
    }

    private boolean waits(PodEntry pod) {
        return ledger.podEntry(pod.ref().uid())
                .filter(now -> now.node() == null
                        && now.holdings().isEmpty()
                        && !now.priority().terminating())
                .isPresent();
    }

    /** Whether the pod is evicted, or may be: a call without a response may have taken effect. */
    private boolean evict(PodEntry pod, PodEntry victim, String node) {
        try {
            api.evict(victim.ref());
        } catch (KubernetesException e) {
            boolean refused = e.status() == 429;
            parts.counts().count(refused ? Eviction.REFUSED : Eviction.FAILED);
            LOG.warn("pod {} is not evicted for pod {}: {}", victim.ref(), pod.ref(), e.getMessage());
            return e.status() == 0;
        }
        parts.counts().count(Eviction.EVICTED);
        events.preempted(victim.ref(), pod.ref(), node);
        return true;
    }

    /** Nothing is reserved for the pod any more, in its status. */
    void release(PodRef pod, String why, String sentence) {
        if (!parts.mayWrite().getAsBoolean()) {
            return;
        }
        try {
            api.patch(pod, PodStatusPatch.released(why, sentence, parts.wall().instant()));
        } catch (KubernetesException e) {
            LOG.debug("pod {}: {}", pod, e.getMessage());
        }
    }
}
