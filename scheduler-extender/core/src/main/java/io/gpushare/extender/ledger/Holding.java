package io.gpushare.extender.ledger;

import io.gpushare.model.Allocation;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The cards that a pod holds on a node, and how certain that is.
 *
 * @param contested the allocation that the annotation of the bound pod names instead, because someone changed it; null
 *     if it names the first one. Either may be true until the device plugin has corrected it, so the cards of both are
 *     held
 * @param since when the extender's own call gave it that standing; without meaning once {@link Standing#SEEN}
 */
public record Holding(
        String node, Allocation allocation, @Nullable Allocation contested, Standing standing, Instant since) {
    /** How certain a holding is. The names are label values of a metric. */
    public enum Standing {
        /** Reserved; its Binding is in progress. */
        ASSUMED,
        /** Reserved; its Binding got no response and may still take effect, whatever happened to later ones. */
        DOUBTFUL,
        /** Confirmed by the API server, but not yet seen by the informer. */
        BOUND,
        /** Seen by the informer. */
        SEEN
    }

    Holding(String node, Allocation allocation, Standing standing, Instant since) {
        this(node, allocation, null, standing, since);
    }

    /** What counts on the node's cards. */
    Allocation counted() {
        return contested == null ? allocation : allocation.or(contested);
    }

    /** The holding of a bound pod after the informer has shown this allocation in its annotation. */
    Holding seen(Allocation annotated) {
        // A pod keeps the unit in which it was allocated.
        boolean other = !annotated.equals(allocation) && annotated.unit().equals(allocation.unit());
        return new Holding(node, allocation, other ? annotated : null, Standing.SEEN, Instant.EPOCH);
    }

    /** Whether the other holding is of the same cards on the same node. */
    boolean sameCards(Holding other) {
        return node.equals(other.node) && counted().equals(other.counted());
    }

    /** Whether nothing has confirmed it yet. */
    boolean assumed() {
        return switch (standing) {
            case ASSUMED, DOUBTFUL -> true;
            case BOUND, SEEN -> false;
        };
    }

    /** Whether the outcome of its Binding is unknown. */
    public boolean outcomeUnknown() {
        return standing == Standing.DOUBTFUL;
    }
}
