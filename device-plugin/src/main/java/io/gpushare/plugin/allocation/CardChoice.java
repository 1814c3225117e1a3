package io.gpushare.plugin.allocation;

import io.gpushare.model.ContainerAllocation;
import java.util.Objects;

/** Which cards a container gets, or why none. */
public sealed interface CardChoice {
    record Chosen(ContainerAllocation gets) implements CardChoice {
        public Chosen {
            Objects.requireNonNull(gets);
        }
    }

    /** The reason is a sentence that the user finds in the pod's status. */
    record Refused(RefusalKind why, String reason) implements CardChoice {
        public Refused {
            Objects.requireNonNull(why);
            Objects.requireNonNull(reason);
        }
    }
}
