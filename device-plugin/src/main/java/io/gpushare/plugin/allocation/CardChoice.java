package io.gpushare.plugin.allocation;

import io.gpushare.model.ContainerAllocation;
import java.util.Objects;

/** The cards that a container gets, or why it gets none. */
public sealed interface CardChoice {
    record Chosen(ContainerAllocation allocation) implements CardChoice {
        public Chosen {
            Objects.requireNonNull(allocation);
        }
    }

    /** The reason is a sentence that the user finds in the pod's status. */
    record Refused(RefusalKind kind, String reason) implements CardChoice {
        public Refused {
            Objects.requireNonNull(kind);
            Objects.requireNonNull(reason);
        }
    }
}
