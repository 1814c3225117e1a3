package io.gpushare.plugin.allocation;

import io.gpushare.model.ContainerAllocation;

/** The cards that a container gets, or why it gets none. */
public sealed interface CardChoice {
    record Chosen(ContainerAllocation allocation) implements CardChoice {}

    /** The reason is a sentence that the user finds in the pod's status. */
    record Refused(RefusalKind kind, String reason) implements CardChoice {}
}
