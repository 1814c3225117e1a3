package io.gpushare.e2e.chaos.check;

import io.gpushare.e2e.chaos.check.Invariants.Violation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The invariant of isolation: the processes of no container together hold more than its limit for longer than the
 * grace, while its node's plugin serves. Each process by itself is held by MPS.
 */
final class MemoryLimits {
    static final String RULE = "a container's processes hold more than its limit for longer than the grace";

    /**
     * How long an excess may last: the grace of three seconds, and the time in which a plugin that has just started or
     * gone on measures, and the supervisor terminates a process.
     */
    static final Duration ALLOWED = Duration.ofSeconds(30);

    private final Map<String, Duration> since = new HashMap<>();
    private final Map<String, Duration> served = new HashMap<>();
    private final Map<String, Long> plugins = new HashMap<>();
    private Duration longest = Duration.ZERO;
    private int excesses;

    /** A plugin that runs with that PID, or 0 for one that is stopped or missing. */
    void plugin(String node, long pid, Duration now) {
        Long before = plugins.put(node, pid);
        if (pid == 0 || before == null || before != pid) {
            served.put(node, now);
        }
    }

    /** What lasts too long. The plugins of the nodes are reported before. */
    List<Violation> check(List<MemoryUse> uses, Set<String> edited, Duration now) {
        List<Violation> violations = new ArrayList<>();
        Set<String> above = new HashSet<>();
        for (MemoryUse use : uses) {
            // The plugin can't know the limit of a pod whose annotation a tenant edited.
            if (!use.excessive() || edited.contains(use.container().uid())) {
                continue;
            }
            above.add(use.key());
            if (since.putIfAbsent(use.key(), now) == null) {
                excesses++;
            }
            Duration start = max(since.getOrDefault(use.key(), now), served.getOrDefault(use.node(), now));
            Duration lasting = now.minus(start);
            longest = max(longest, lasting);
            if (lasting.compareTo(ALLOWED) > 0) {
                violations.add(new Violation(RULE, use.key(), use + " for " + lasting.toSeconds() + " s"));
            }
        }
        since.keySet().retainAll(above);
        return violations;
    }

    private static Duration max(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    int excesses() {
        return excesses;
    }

    /** The longest time for which a container had more than its limit while its node's plugin served. */
    Duration longest() {
        return longest;
    }
}
