package io.gpushare.plugin.usage;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The processes that use a card without a share of it, and in how many evaluations in a row. A container that has just
 * started, or that ends, may look like one.
 */
public record ForeignUse(Map<NodeUsage.Foreign, Integer> seen) {
    /** No process uses a card without a share. */
    public static final ForeignUse NONE = new ForeignUse(Map.of());

    // Half a minute of reports.
    private static final int CERTAIN = 6;

    public ForeignUse {
        seen = Map.copyOf(seen);
    }

    /** The state after one more evaluation. */
    public ForeignUse with(NodeUsage usage) {
        Map<NodeUsage.Foreign, Integer> next = new HashMap<>();
        usage.foreign().keySet().forEach(each -> next.put(each, Math.min(CERTAIN, seen.getOrDefault(each, 0) + 1)));
        return new ForeignUse(next);
    }

    /** Those that use a card without a share for certain. */
    public Set<NodeUsage.Foreign> certain() {
        return seen.entrySet().stream()
                .filter(each -> each.getValue() >= CERTAIN)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }
}
