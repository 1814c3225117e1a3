package io.gpushare.extender.ledger;

import io.gpushare.model.Allocation;
import java.time.Instant;
import java.util.Objects;

/**
 * The cards that a pod holds on a node, and how certain that is.
 *
 * @param since when the extender's own call gave it that standing; without meaning once {@link Standing#SEEN}
 */
public record Holding(String node, Allocation allocation, Standing standing, Instant since) {
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

    public Holding {
        Objects.requireNonNull(node);
        Objects.requireNonNull(allocation);
        Objects.requireNonNull(standing);
        Objects.requireNonNull(since);
    }

    /** Whether the other holding is of the same cards on the same node. */
    boolean sameCards(Holding other) {
        return node.equals(other.node) && allocation.equals(other.allocation);
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
