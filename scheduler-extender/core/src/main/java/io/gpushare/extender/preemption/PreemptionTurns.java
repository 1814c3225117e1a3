package io.gpushare.extender.preemption;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.ledger.Reservation;
import io.gpushare.extender.ledger.Reservation.Source;
import io.gpushare.extender.preemption.PreemptionTurns.Ended.How;
import io.gpushare.model.PodRef;
import io.gpushare.model.pod.PodPriority;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * When pods are evicted for which waiting pod, and how long cards are reserved for it. kube-scheduler's own preemption
 * comes first: a pod that awaits cards after it is left alone.
 *
 * <p>A pod for which nothing can be evicted is tried again at growing intervals. Cards are reserved until the pod is
 * bound or gone, or for the longest grace period of the victims, an hour at most, and a minute more. A pod that is not
 * bound by then has the node passed over. If that happens to several pods in a row, something unknown keeps pods from
 * being bound: nothing is evicted for growing intervals, and then for one pod at a time until one is bound. Not
 * thread-safe.
 */
public final class PreemptionTurns {
    /** For this time kube-scheduler may help the pod by its own preemption. */
    public static final Duration HEAD_START = Duration.ofSeconds(3);

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);
    private static final Duration AFTER_VICTIMS = Duration.ofSeconds(60);
    private static final Duration LONGEST_RESERVATION = Duration.ofHours(1);
    private static final int MOST_UNBOUND = 3;
    private static final Duration FIRST_STOP = Duration.ofMinutes(1);
    private static final Duration LONGEST_STOP = Duration.ofHours(1);
    private static final int MOST_NODES = 32;
    /** For so many pods cards are reserved at the same time. */
    private static final int MOST_RESERVED = 32;

    private final Ledger ledger;
    private final RandomGenerator random;
    private final Map<String, Turn> turns = new HashMap<>();
    // Of the last round, by the uid of the pod.
    private Map<String, Ended> reserved = new HashMap<>();
    private int unbound;
    private Instant stoppedUntil = Instant.MIN;

    /** A waiting pod: since when nothing helps it, and when it is tried next. */
    private record Turn(Instant since, Instant next, int failures, String why, Set<String> passedOver) {
        Turn helped(Instant now) {
            return new Turn(now, next, failures, why, passedOver);
        }
    }

    /** A reservation for which pods were evicted, and that has ended. */
    public record Ended(PodRef pod, String node, How how) {
        /** How it ends. The names are label values of a metric. */
        public enum How {
            BOUND,
            EXPIRED,
            GONE
        }
    }

    public PreemptionTurns(Ledger ledger, RandomGenerator random) {
        this.ledger = ledger;
        this.random = random;
    }

    /** Forgets everything, as if it began now: another extender has led meanwhile. */
    public void reset() {
        turns.clear();
        reserved.clear();
        unbound = 0;
        stoppedUntil = Instant.MIN;
    }

    /** The pods for which to try evictions now, the most important first. */
    public List<PodEntry> due(Instant now) {
        List<PodEntry> waiting = ledger.waiting();
        turns.keySet().retainAll(waiting.stream().map(pod -> pod.ref().uid()).collect(Collectors.toSet()));
        List<PodEntry> due = new ArrayList<>();
        for (PodEntry pod : waiting) {
            boolean helped = ledger.awaitsCards(pod.ref());
            Turn turn = Objects.requireNonNull(turns.compute(
                    pod.ref().uid(),
                    (_, old) -> old == null ? new Turn(now, now, 0, "", Set.of()) : helped ? old.helped(now) : old));
            if (!helped && !now.isBefore(turn.since().plus(HEAD_START)) && !now.isBefore(turn.next())) {
                due.add(pod);
            }
        }
        due.sort(Comparator.comparing(PodEntry::priority, PodPriority.HIGHEST_FIRST));
        return now.isBefore(stoppedUntil) || full() ? List.of() : due;
    }

    /**
     * Whether cards are reserved for as many pods as they may be: until one of them is bound, nothing more is evicted.
     */
    public boolean full() {
        return ledger.reservations(Source::evicted).size() >= (unbound >= MOST_UNBOUND ? 1 : MOST_RESERVED);
    }

    /** The pods, by uid, for which nothing could be evicted. */
    public Set<String> unhelped() {
        return turns.entrySet().stream()
                .filter(turn -> turn.getValue().failures() > 0)
                .map(Map.Entry::getKey)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** The nodes where cards were reserved for the pod, and it was not bound. */
    public Set<String> passedOver(PodRef pod) {
        return turn(pod).map(Turn::passedOver).orElse(Set.of());
    }

    /**
     * Nothing was evicted for the pod: it is tried again later.
     *
     * @return whether the reason is another one than last time
     */
    public boolean failed(PodRef pod, String why, Instant now) {
        Optional<Turn> turn = turn(pod);
        turn.ifPresent(old -> turns.put(
                pod.uid(),
                new Turn(old.since(), now.plus(pause(old.failures())), old.failures() + 1, why, old.passedOver())));
        return turn.isPresent() && !turn.get().why().equals(why);
    }

    private Optional<Turn> turn(PodRef pod) {
        return Optional.ofNullable(turns.get(pod.uid()));
    }

    private Duration pause(int failures) {
        Duration pause = doubled(FIRST_PAUSE, failures, LONGEST_PAUSE);
        return pause.plusMillis(random.nextLong(pause.toMillis() / 4));
    }

    private static Duration doubled(Duration first, int times, Duration longest) {
        Duration pause = first.multipliedBy(1L << Math.min(times, 20));
        return pause.compareTo(longest) < 0 ? pause : longest;
    }

    /** How long cards are reserved for a pod whose victims may take that long to end. */
    public static Instant until(Duration grace, Instant now) {
        Duration longest = grace.compareTo(LONGEST_RESERVATION) < 0 ? grace : LONGEST_RESERVATION;
        return now.plus(longest).plus(AFTER_VICTIMS);
    }

    /** Pods were evicted for the pod on that node, and cards are reserved for it. */
    public void evicted(PodRef pod, String node, Instant now) {
        reserved.put(pod.uid(), new Ended(pod, node, How.GONE));
        // Some evictions may have failed, or a more important pod takes the cards: then it is due again, less and less
        // often.
        turn(pod)
                .ifPresent(old -> turns.put(
                        pod.uid(),
                        new Turn(now, now.plus(pause(old.failures())), old.failures() + 1, "", old.passedOver())));
    }

    /**
     * The reservations that have ended by now; each is returned once. Those of an earlier leader are kept for a while.
     */
    public List<Ended> ended(Instant now) {
        List<Ended> ended = new ArrayList<>();
        for (Reservation over : ledger.overReservations(now)) {
            if (over.source().evicted()) {
                ledger.endReservation(over);
                ledger.podEntry(over.pod()).ifPresent(pod -> {
                    ended.add(new Ended(pod.ref(), over.node(), How.EXPIRED));
                    expired(pod.ref(), over.node(), now);
                });
            }
        }
        Set<String> expired = ended.stream().map(each -> each.pod().uid()).collect(Collectors.toSet());
        Map<String, Ended> present = new HashMap<>();
        for (Reservation each : ledger.reservations(Source::evicted)) {
            Optional<PodEntry> pod = ledger.podEntry(each.pod());
            if (pod.isEmpty()) {
                // Deleted while the evictions were being made.
                ledger.endReservation(each);
            } else if (!expired.contains(each.pod())) {
                present.put(each.pod(), new Ended(pod.get().ref(), each.node(), How.GONE));
            }
        }
        reserved.forEach((uid, before) -> {
            Optional<PodEntry> entry = ledger.podEntry(uid);
            if (!present.containsKey(uid) && !expired.contains(uid)) {
                if (entry.isEmpty()) {
                    ended.add(before);
                } else if (entry.get().node() != null) {
                    unbound = 0;
                    ended.add(new Ended(before.pod(), before.node(), How.BOUND));
                }
            }
        });
        reserved = present;
        return ended;
    }

    private void expired(PodRef pod, String node, Instant now) {
        unbound++;
        if (unbound >= MOST_UNBOUND) {
            stoppedUntil = now.plus(doubled(FIRST_STOP, unbound - MOST_UNBOUND, LONGEST_STOP));
        }
        Turn old = turn(pod).orElse(new Turn(now, now, 0, "", Set.of()));
        Set<String> passedOver = new HashSet<>(old.passedOver());
        if (passedOver.size() >= MOST_NODES) {
            passedOver.clear();
        }
        passedOver.add(node);
        int failures = old.failures() + MOST_UNBOUND;
        turns.put(pod.uid(), new Turn(old.since(), now.plus(pause(failures)), failures, "", passedOver));
    }

    /** Whether nothing is evicted for a while, because several pods for which others were evicted were not bound. */
    public boolean stopped(Instant now) {
        return now.isBefore(stoppedUntil);
    }
}
