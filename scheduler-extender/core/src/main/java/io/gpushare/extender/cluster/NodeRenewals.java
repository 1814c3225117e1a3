package io.gpushare.extender.cluster;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds the nodes whose device plugin no longer renews its Lease, from successive readings of all Leases and the
 * reader's own monotonic clock. Time in which the reader itself got no response counts against no node. Not
 * thread-safe.
 */
final class NodeRenewals {
    /** A Lease that did not change for this time is stale: four renewals are missing. */
    static final Duration STALE = Duration.ofSeconds(40);
    /** After a longer time between two readings, each node has a fresh period. */
    static final Duration GAP = Duration.ofSeconds(25);

    /** The version of a Lease, and since when it is unchanged. */
    private record Seen(String version, long since) {
        boolean stale(long nanos) {
            return nanos - since >= STALE.toNanos();
        }
    }

    private Map<String, Seen> seen = Map.of();
    private long last;

    /**
     * Takes a reading, and returns the nodes with a stale Lease.
     *
     * @param versions the version of each Lease that is held, by node; a node without one is never stale
     * @param nanos the time of the reading
     */
    Set<String> read(Map<String, String> versions, long nanos) {
        boolean interrupted = nanos - last > GAP.toNanos();
        Map<String, Seen> now = new HashMap<>();
        versions.forEach((node, version) -> {
            Seen before = seen.getOrDefault(node, new Seen("", nanos));
            boolean unchanged = before.version().equals(version) && (!interrupted || before.stale(last));
            now.put(node, unchanged ? before : new Seen(version, nanos));
        });
        seen = now;
        last = nanos;
        return now.entrySet().stream()
                .filter(node -> node.getValue().stale(nanos))
                .map(Map.Entry::getKey)
                .collect(Collectors.toUnmodifiableSet());
    }
}
