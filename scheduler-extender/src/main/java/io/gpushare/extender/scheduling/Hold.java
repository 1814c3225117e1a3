package io.gpushare.extender.scheduling;

import io.gpushare.model.Allocation;
import java.time.Instant;
import java.util.Objects;

/**
 * What a pod holds on a node, and how we know.
 *
 * @param since when it came to that standing by our own doing; of no meaning once seen
 */
public record Hold(String node, Allocation allocation, Standing standing, Instant since) {
    /** How sure a hold is. */
    public enum Standing {
        /** Reserved before the Binding; whether it came true is not known yet. */
        ASSUMED,
        /** The API server said that it is true; the informer has not shown it yet. */
        BOUND,
        /** The informer showed it. */
        SEEN
    }

    public Hold {
        Objects.requireNonNull(node);
        Objects.requireNonNull(allocation);
        Objects.requireNonNull(standing);
        Objects.requireNonNull(since);
    }

    boolean assumed() {
        return standing == Standing.ASSUMED;
    }
}
