package io.gpushare.extender.placement;

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
public record Rank(int priority, Instant created, boolean leaving) {
    /** A pod of which nothing is known. */
    public static final Rank PLAIN = new Rank(0, Instant.EPOCH, false);

    /** The higher priority first, then the older. */
    public static final Comparator<Rank> MOST_FIRST =
            Comparator.comparingInt(Rank::priority).reversed().thenComparing(Rank::created);

    public Rank {
        Objects.requireNonNull(created);
    }
}
