package io.gpushare.extender.pod;

import java.time.Instant;
import java.util.Comparator;
import java.util.Objects;

/**
 * How much a pod matters where there is not room for all.
 *
 * @param priority spec.priority: the higher goes first, and may evict the lower
 * @param created of two equal ones the older matters more
 * @param leaving whether its deletion was asked for: what it holds comes free without an eviction
 */
public record PodPriority(int priority, Instant created, boolean leaving) {
    /** A pod of which nothing is known. */
    public static final PodPriority PLAIN = new PodPriority(0, Instant.EPOCH, false);

    /** The higher priority first, then the older. */
    public static final Comparator<PodPriority> MOST_FIRST =
            Comparator.comparingInt(PodPriority::priority).reversed().thenComparing(PodPriority::created);

    public PodPriority {
        Objects.requireNonNull(created);
    }
}
