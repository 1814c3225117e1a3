package io.gpushare.extender.preemption;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/** What this extender evicted for waiting pods, in numbers. */
public final class PreemptionCounts {
    /** What became of the eviction of a pod. The names are label values of a metric. */
    public enum Eviction {
        EVICTED,
        REFUSED,
        FAILED
    }

    private final Map<Eviction, AtomicLong> evictions = new EnumMap<>(Eviction.class);
    private final Map<PreemptionTurns.Ended.How, AtomicLong> preemptions =
            new EnumMap<>(PreemptionTurns.Ended.How.class);

    public PreemptionCounts() {
        for (Eviction each : Eviction.values()) {
            evictions.put(each, new AtomicLong());
        }
        for (PreemptionTurns.Ended.How each : PreemptionTurns.Ended.How.values()) {
            preemptions.put(each, new AtomicLong());
        }
    }

    public void count(Eviction eviction) {
        Objects.requireNonNull(evictions.get(eviction)).incrementAndGet();
    }

    public void count(PreemptionTurns.Ended.How how) {
        Objects.requireNonNull(preemptions.get(how)).incrementAndGet();
    }

    public long evictions(Eviction which) {
        return Objects.requireNonNull(evictions.get(which)).get();
    }

    /** The number of preemptions whose hold ended so. */
    public long preemptions(PreemptionTurns.Ended.How which) {
        return Objects.requireNonNull(preemptions.get(which)).get();
    }
}
