package io.gpushare.plugin.admission;

import io.gpushare.plugin.allocation.Caller;
import io.gpushare.plugin.allocation.RefusalKind;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts the answered and the refused Allocate calls. */
public final class CallCounters {
    private final Map<Caller.Evidence, LongAdder> identified = new EnumMap<>(Caller.Evidence.class);
    private final Map<RefusalKind, LongAdder> refused = new EnumMap<>(RefusalKind.class);

    public CallCounters() {
        for (Caller.Evidence evidence : Caller.Evidence.values()) {
            identified.put(evidence, new LongAdder());
        }
        for (RefusalKind kind : RefusalKind.values()) {
            refused.put(kind, new LongAdder());
        }
    }

    void countIdentified(Caller.Evidence evidence) {
        Objects.requireNonNull(identified.get(evidence)).increment();
    }

    void countRefused(RefusalKind kind) {
        Objects.requireNonNull(refused.get(kind)).increment();
    }

    /** Containers that received their cards, by how they were identified. */
    public Map<Caller.Evidence, Long> identified() {
        return sums(identified);
    }

    /** Refused Allocate calls, by the kind of reason. */
    public Map<RefusalKind, Long> refused() {
        return sums(refused);
    }

    private static <K extends Enum<K>> Map<K, Long> sums(Map<K, LongAdder> adders) {
        Map<K, Long> sums = new TreeMap<>();
        adders.forEach((kind, adder) -> sums.put(kind, adder.sum()));
        return sums;
    }

    /** Both in one line, for the log. */
    @Override
    public String toString() {
        return identified + ", refused "
                + refused().values().stream().mapToLong(Long::longValue).sum();
    }
}
