package io.gpushare.extender.view;

import io.gpushare.extender.ledger.Ledger.NodeView;
import io.gpushare.extender.pod.WaitingPod;
import io.gpushare.extender.report.Explainer;
import io.gpushare.model.Demand;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The changes of the cluster since an older snapshot, or all of it.
 *
 * @param revision of the snapshot with these changes
 * @param full whether this is a complete snapshot, which replaces the older one
 * @param nodes new and changed nodes, each complete
 * @param gone names of removed nodes
 * @param plain the number of nodes without cards
 * @param waiting the waiting pods; null if they have not changed
 */
public record ClusterChanges(
        String revision,
        boolean full,
        List<NodeView> nodes,
        List<String> gone,
        int plain,
        @Nullable Queue waiting) {
    public ClusterChanges {
        nodes = List.copyOf(nodes);
        gone = List.copyOf(gone);
    }

    /**
     * The waiting pods.
     *
     * @param count the number of all waiting pods
     * @param first those with the highest priority, then the oldest
     * @param why the reasons that keep each of their demands from being placed, for a limited number of demands
     */
    public record Queue(int count, List<WaitingPod> first, Map<Demand, Explainer.Tally> why) {
        static final Queue EMPTY = new Queue(0, List.of(), Map.of());

        public Queue {
            first = List.copyOf(first);
            why = Map.copyOf(why);
        }
    }
}
