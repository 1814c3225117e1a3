package io.gpushare.extender.scheduling;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer of filter: of each node that was asked for, in that order, why it can't take the pod. Made for thousands of
 * nodes a request, and so without their names.
 */
public final class Filtered {
    private final @Nullable Reason[] why;

    /** @param why by the nodes' places; null for one that can take the pod */
    Filtered(@Nullable Reason[] why) {
        this.why = why;
    }

    /** How many nodes were asked for. */
    public int size() {
        return why.length;
    }

    /** Why the node at that place can't take the pod; null if it can. */
    public @Nullable Reason why(int place) {
        return why[place];
    }

    /** Those that can take the pod, of the nodes that were asked for, in that order. */
    public List<String> feasible(List<String> asked) {
        List<String> feasible = new ArrayList<>();
        for (int i = 0; i < why.length; i++) {
            if (why[i] == null) {
                feasible.add(asked.get(i));
            }
        }
        return feasible;
    }
}
