package io.gpushare.extender.ledger;

import io.gpushare.model.Allocation;
import java.time.Instant;
import java.util.Objects;

/**
 * What a pod holds on a node, and how we know.
 *
 * @param since when it came to that standing by our own doing; of no meaning once seen
 */
public record Holding(String node, Allocation allocation, Standing standing, Instant since) {
    /** How sure a hold is. */
    public enum Standing {
        /** Reserved; its Binding is being made. */
        ASSUMED,
        /** Reserved; a Binding for it got no answer, and may come true late whatever became of later ones. */
        DOUBTFUL,
        /** The API server said that it is true; the informer has not shown it yet. */
        BOUND,
        /** The informer showed it. */
        SEEN
    }

    public Holding {
        Objects.requireNonNull(node);
        Objects.requireNonNull(allocation);
        Objects.requireNonNull(standing);
        Objects.requireNonNull(since);
    }

    /** Whether the other is on the same cards of the same node. */
    boolean sameCards(Holding other) {
        return node.equals(other.node) && allocation.equals(other.allocation);
    }

    /** Whether it may be true, and nobody said that it is. */
    boolean assumed() {
        return switch (standing) {
            case ASSUMED, DOUBTFUL -> true;
            case BOUND, SEEN -> false;
        };
    }

    public boolean doubtful() {
        return standing == Standing.DOUBTFUL;
    }
}
