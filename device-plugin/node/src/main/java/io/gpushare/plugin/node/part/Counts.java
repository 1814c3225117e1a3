package io.gpushare.plugin.node.part;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counts occurrences by kind, since the plugin started. Several threads may count and read. */
public final class Counts<K> {
    private final Map<K, Long> counts = new ConcurrentHashMap<>();

    /** @param kinds those that have a count before they occur */
    public Counts(Collection<K> kinds) {
        kinds.forEach(kind -> counts.put(kind, 0L));
    }

    /** Counts one occurrence; returns the number of them so far. */
    public long count(K kind) {
        return counts.merge(kind, 1L, Long::sum);
    }

    /** The number of occurrences of each kind. */
    public Map<K, Long> all() {
        return Map.copyOf(counts);
    }
}
