package io.gpushare.simulation.lifetimes;

import io.gpushare.simulation.trace.PodClass;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** How long the pods of one or several replays waited, in seconds. */
final class Waits {
    private final Map<PodClass, List<Long>> byClass = new EnumMap<>(PodClass.class);
    private int never;
    private double besideFree;
    private double allocated;
    private int replays = 1;

    void started(PodClass of, long seconds) {
        byClass.computeIfAbsent(of, any -> new ArrayList<>()).add(seconds);
    }

    void never(int pods) {
        never = pods;
    }

    /** Some jobs of whole cards wait for that time, although enough units are free for each of them. */
    void besideFree(int jobs, long seconds) {
        besideFree += (double) jobs * seconds;
    }

    void allocated(double part) {
        allocated = part;
    }

    /** The pods that fit no node of the empty cluster. */
    int neverStarted() {
        return never;
    }

    /** Seconds that jobs of whole cards waited beside enough scattered free memory, in sum. */
    double besideFree() {
        return besideFree;
    }

    /** The part of the cards' time that was allocated until the last pod came, 0 to 1. */
    double allocated() {
        return allocated / replays;
    }

    /** Those of both, in which each replay counts the same for {@link #allocated}. */
    Waits plus(Waits other) {
        Waits both = new Waits();
        List.of(this, other).forEach(each -> {
            each.byClass.forEach((of, seconds) -> seconds.forEach(one -> both.started(of, one)));
            both.never += each.never;
            both.besideFree += each.besideFree;
            both.allocated += each.allocated;
        });
        both.replays = replays + other.replays;
        return both;
    }

    double mean(PodClass of) {
        return waits(of).stream().mapToLong(Long::longValue).average().orElse(0);
    }

    /** What 95 % of the pods of that class did not exceed. */
    double percentile95(PodClass of) {
        List<Long> sorted = waits(of).stream().sorted().toList();
        return sorted.isEmpty() ? 0 : sorted.get((int) Math.ceil(0.95 * sorted.size()) - 1);
    }

    boolean has(PodClass of) {
        return !waits(of).isEmpty();
    }

    private List<Long> waits(PodClass of) {
        return byClass.getOrDefault(of, List.of());
    }
}
