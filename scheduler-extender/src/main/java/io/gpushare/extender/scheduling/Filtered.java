package io.gpushare.extender.scheduling;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer of filter: of each node that was asked for, in that order, why it can't take the pod. Made for thousands of
 * nodes a request, and so without a table by name.
 */
public final class Filtered {
    private final List<? extends NodeName> nodes;
    private final @Nullable Reason[] why;

    /** @param why by the nodes' places; null for one that can take the pod */
    Filtered(List<? extends NodeName> nodes, @Nullable Reason[] why) {
        this.nodes = nodes;
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

    /** Those that can take the pod, in the order in which they were asked for. */
    public List<String> feasible() {
        List<String> feasible = new ArrayList<>();
        for (int i = 0; i < why.length; i++) {
            if (why[i] == null) {
                feasible.add(nodes.get(i).toString());
            }
        }
        return feasible;
    }
}
