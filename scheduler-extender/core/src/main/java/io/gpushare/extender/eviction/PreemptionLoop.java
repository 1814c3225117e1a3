package io.gpushare.extender.eviction;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.ledger.Reservation;
import io.gpushare.extender.ledger.Reservation.Source;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.preemption.PreemptionCounts;
import io.gpushare.extender.preemption.PreemptionTurns;
import io.gpushare.extender.preemption.PreemptionTurns.Ended;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.kubernetes.eviction.PodStatusPatch;
import io.gpushare.model.PodRef;
import io.gpushare.time.Clocks;
import io.gpushare.time.Machine;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Evicts pods for waiting pods that kube-scheduler's own preemption does not help: on its own thread, for one pod at a
 * time, and only while this extender leads and has the permission.
 */
public final class PreemptionLoop {
    private static final Logger LOG = LoggerFactory.getLogger(PreemptionLoop.class);
    private static final Duration PERIOD = Duration.ofMillis(500);
    // A search over thousands of nodes takes long; it uses a fifth of the thread's time at most.
    private static final int REST = 4;
    private static final int PODS_PER_ROUND = 8;
    private static final Duration CHECK_AGAIN = Duration.ofMinutes(5);
    private static final Duration NOMINATE_AGAIN = Duration.ofSeconds(5);
    private static final int NO_FAILURE = -1;
    private static final int FORBIDDEN = 403;

    private final KubernetesApi api;
    private final Ledger ledger;
    private final Clocks clocks;
    private final BooleanSupplier mayWrite;
    private final BooleanSupplier ready;
    private final Preemptor preemptor;
    private final PreemptionEvents events;
    private final PreemptionTurns turns;
    private final PreemptionCounts counts;
    private volatile boolean permitted;
    private volatile boolean stopped;
    private volatile boolean full;
    private volatile Set<String> unhelped = Set.of();

    // Only the thread uses the fields below.
    private @Nullable Instant checkedAt;
    private final Map<String, Instant> nominatedAt = new HashMap<>();
    // The status of the last failure, which is logged once; 0 for no response.
    private int failure = NO_FAILURE;

    /**
     * What it works with.
     *
     * @param conditions where waiting pods could be placed
     * @param mayWrite whether this extender leads
     * @param ready whether it leads and its ledger is current
     */
    public record Parts(
            KubernetesApi api,
            EventRecorder events,
            Placer placer,
            PodConditions conditions,
            BooleanSupplier mayWrite,
            BooleanSupplier ready,
            Clocks clocks,
            PreemptionCounts counts) {}

    public PreemptionLoop(Parts parts) {
        this.api = parts.api();
        this.ledger = parts.placer().ledger();
        this.clocks = parts.clocks();
        this.mayWrite = parts.mayWrite();
        this.ready = parts.ready();
        this.counts = parts.counts();
        this.events = new PreemptionEvents(api.evictions(), parts.events(), clocks.wall());
        this.turns = new PreemptionTurns(ledger, Machine.here().random());
        this.preemptor = new Preemptor(
                parts.placer(),
                api.evictions(),
                events,
                new Preemptor.Parts(parts.conditions(), parts.mayWrite(), clocks.wall(), clocks.steady(), counts));
    }

    /** Starts a task. */
    public PeriodicTask start() {
        return PeriodicTask.rounds("preemption", PERIOD, REST, this::round).start();
    }

    /** Whether it will evict pods for that pod if kube-scheduler does not, as far as is known. */
    public boolean helps(PodRef pod) {
        return permitted && !stopped && !full && !unhelped.contains(pod.uid());
    }

    private void round() {
        Instant now = clocks.steady().instant();
        try {
            checkPermission(now);
            if (!ready.getAsBoolean()) {
                turns.reset();
                nominatedAt.clear();
                if (!mayWrite.getAsBoolean()) {
                    ledger.endReservations();
                }
            } else if (permitted) {
                settle(now);
                preempt(now);
            }
            unhelped = turns.unhelped();
            full = turns.full();
            failure = NO_FAILURE;
        } catch (KubernetesException e) {
            if (e.status() != failure) {
                failure = e.status();
                LOG.warn("no pods can be evicted for waiting pods now: {}", e.getMessage());
            }
        }
    }

    private void checkPermission(Instant now) throws KubernetesException {
        if (checkedAt != null && (permitted || now.isBefore(checkedAt.plus(CHECK_AGAIN)))) {
            return;
        }
        boolean first = checkedAt == null;
        permitted = api.evictions().permitted();
        checkedAt = now;
        if (permitted) {
            LOG.info("pods are evicted for waiting pods of higher priority where kube-scheduler's preemption does not"
                    + " help");
        } else if (first) {
            LOG.warn("the permission to evict pods is missing: apply deploy/preemption to let pods of higher priority"
                    + " preempt where kube-scheduler's own preemption does not help, or start with"
                    + " --preempt=scheduler");
        }
    }

    /** Ends reservations, and nominates pods again from which kube-scheduler has taken the nomination. */
    private void settle(Instant now) {
        for (Ended ended : turns.ended(now)) {
            counts.count(ended.how());
            switch (ended.how()) {
                case GONE -> LOG.info("pod {}, for which pods were evicted, is gone", ended.pod());
                case BOUND -> release(ended, "Bound", "the pod is bound");
                case EXPIRED -> {
                    LOG.warn(
                            "pod {} was not bound in time to node {}, where cards were reserved for it",
                            ended.pod(),
                            ended.node());
                    release(ended, "Expired", "the pod was not bound in time");
                    events.expired(ended.pod(), ended.node());
                }
            }
        }
        if (stopped != turns.stopped(now)) {
            stopped = turns.stopped(now);
            if (stopped) {
                LOG.warn("no pods are evicted for a while: several pods for which others were evicted were not bound");
            }
        }
        nominate(now);
    }

    private void release(Ended ended, String why, String sentence) {
        preemptor.release(ended.pod(), why, sentence);
    }

    private void nominate(Instant now) {
        Map<String, Instant> before = Map.copyOf(nominatedAt);
        nominatedAt.clear();
        for (Reservation reserved : ledger.reservations(Source::evicted)) {
            String uid = reserved.pod();
            Instant last = before.getOrDefault(uid, now);
            boolean due = !ledger.nominated(uid, reserved.node()) && !now.isBefore(last.plus(NOMINATE_AGAIN));
            nominatedAt.put(uid, due ? now : last);
            if (due && mayWrite.getAsBoolean()) {
                ledger.podEntry(uid).ifPresent(pod -> nominate(pod.ref(), reserved.node()));
            }
        }
    }

    private void nominate(PodRef pod, String node) {
        try {
            api.evictions().patch(pod, PodStatusPatch.nominated(node));
        } catch (KubernetesException e) {
            LOG.debug("pod {}: {}", pod, e.getMessage());
        }
    }

    private void preempt(Instant now) throws KubernetesException {
        int tried = 0;
        for (PodEntry pod : turns.due(now)) {
            if (tried++ == PODS_PER_ROUND) {
                return;
            }
            switch (attempt(pod)) {
                case Attempt.Evicted(String node) -> {
                    // The attempt took as long as its calls.
                    turns.evicted(pod.ref(), node, clocks.steady().instant());
                    return;
                }
                case Attempt.NotPossible() ->
                    turns.failed(pod.ref(), "", clocks.steady().instant());
                case Attempt.Failed(String why, boolean budgets) -> {
                    if (turns.failed(pod.ref(), why, clocks.steady().instant())) {
                        LOG.info("no pods are evicted for pod {}: {}", pod.ref(), why);
                        if (budgets) {
                            events.forbidden(pod.ref());
                        }
                    }
                }
            }
        }
    }

    private Attempt attempt(PodEntry pod) throws KubernetesException {
        try {
            return preemptor.attempt(pod, turns.passedOver(pod.ref()));
        } catch (KubernetesException e) {
            if (e.status() == FORBIDDEN) {
                permitted = false;
            }
            turns.failed(pod.ref(), "", clocks.steady().instant());
            throw e;
        } catch (RuntimeException e) {
            // The next pod gets its turn.
            turns.failed(pod.ref(), "", clocks.steady().instant());
            throw e;
        }
    }
}
