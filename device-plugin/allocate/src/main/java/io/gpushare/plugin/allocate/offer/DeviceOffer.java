package io.gpushare.plugin.allocate.offer;

import io.gpushare.plugin.allocate.devices.DeviceLists;
import io.gpushare.plugin.allocate.kubelet.KubeletConnection;
import io.gpushare.plugin.allocate.snapshot.NodeSnapshot;
import io.gpushare.plugin.allocate.state.AllocationReconciler;
import io.gpushare.plugin.allocate.state.LatestSnapshot;
import io.gpushare.plugin.node.cluster.NodeLease;
import io.gpushare.plugin.node.cluster.NodePodInformer;
import io.gpushare.plugin.node.offer.PublishedInventory;
import java.util.function.BooleanSupplier;

/**
 * Offers the devices of the latest snapshot to the kubelet, and publishes its inventory to the extender.
 *
 * @param ending whether the plugin can't continue: then it offers nothing more
 */
public record DeviceOffer(
        LatestSnapshot latest,
        NodePodInformer pods,
        NodeLease lease,
        KubeletConnection kubelet,
        AllocationReconciler allocations,
        PublishedInventory published,
        UnknownNames names,
        BooleanSupplier ending) {

    /** Offers what the latest snapshot has. */
    public void publish() {
        // With the inventory the extender begins to place pods here. Before that, the pods of the node are counted.
        boolean counted = pods.synced();
        NodeSnapshot now = latest.now();
        if (counted) {
            names.check(now);
        }
        if (ending.getAsBoolean()) {
            return;
        }
        DeviceLists lists = DeviceLists.of(now.allocations());
        // Without the API server the next pod would be unknown to the plugin, and fail.
        kubelet.offer(lease.lost() ? lists.only(now.allocations().allocatedIds()) : lists);
        allocations.reconcileSoon();
        if (counted) {
            published.publish(now.inventory(), kubelet.watched());
        }
    }
}
