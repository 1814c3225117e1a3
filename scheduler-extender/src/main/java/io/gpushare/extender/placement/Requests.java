package io.gpushare.extender.placement;

import org.jspecify.annotations.Nullable;

/**
 * Makes equal requests one object, as long as they come often: thousands of nodes are asked whether they remember it, and
 * see so at a glance. For several threads at once, since a request lost to another one is only compared in full.
 */
public final class Requests {
    private static final int KINDS = 64;

    private final @Nullable PodRequest[] recent = new @Nullable PodRequest[KINDS];

    /** That request, as the object that it was last time. */
    public PodRequest same(PodRequest request) {
        int hash = request.hashCode();
        int at = (hash ^ hash >>> 16) & KINDS - 1;
        @Nullable PodRequest before = recent[at];
        if (before != null && before.equals(request)) {
            return before;
        }
        recent[at] = request;
        return request;
    }
}
