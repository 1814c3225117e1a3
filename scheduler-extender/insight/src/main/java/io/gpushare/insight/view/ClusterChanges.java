package io.gpushare.insight.view;

import io.gpushare.extender.ledger.ClusterState.NodeView;
import java.util.List;
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
        @Nullable WaitingQueue waiting) {}
