package io.gpushare.plugin;

import io.gpushare.model.PodRef;
import io.gpushare.plugin.cluster.NodePodInformer;
import io.gpushare.plugin.monitor.RebootReporter;
import io.gpushare.plugin.snapshot.NodePod;
import io.gpushare.plugin.state.LatestSnapshot;

/**
 * Passes the changes of the node's pods to the parts that they concern.
 *
 * @param oneChanged is run after a pod was added or changed
 * @param oneDeleted is run after a pod was deleted
 */
record PodReports(LatestSnapshot latest, Runnable oneChanged, Runnable oneDeleted, RebootReporter reboots)
        implements NodePodInformer.Listener {
    @Override
    public void changed(NodePod pod) {
        latest.update(snapshot -> snapshot.withPod(pod));
        oneChanged.run();
    }

    @Override
    public void deleted(String uid) {
        latest.update(snapshot -> snapshot.withoutPod(uid));
        oneDeleted.run();
    }

    @Override
    public void rejected(PodRef pod, String message) {
        reboots.rejected(pod, message);
    }
}
