package io.gpushare.model.pod;

import java.time.Instant;
import java.util.Comparator;

/**
 * How important a pod is compared with others that compete for the same cards.
 *
 * @param value spec.priority: the higher is placed first, and may evict the lower
 * @param created of two pods with the same priority, the older is more important
 * @param terminating whether the pod is being deleted: its cards become free without an eviction
 */
public record PodPriority(int value, Instant created, boolean terminating) {
    /** The priority of a pod of which no more is known than its name. */
    public static final PodPriority DEFAULT = new PodPriority(0, Instant.EPOCH, false);

    /** The higher priority first, then the older pod. */
    public static final Comparator<PodPriority> HIGHEST_FIRST =
            Comparator.comparingInt(PodPriority::value).reversed().thenComparing(PodPriority::created);
}
