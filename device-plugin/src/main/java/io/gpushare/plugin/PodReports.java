package io.gpushare.plugin;

import io.gpushare.model.PodRef;
import io.gpushare.plugin.allocate.state.LatestSnapshot;
import io.gpushare.plugin.claims.prepare.NodeClaims;
import io.gpushare.plugin.node.cluster.NodePodInformer;
import io.gpushare.plugin.node.holdings.LatestHoldings;
import io.gpushare.plugin.node.monitor.RebootReporter;
import io.gpushare.plugin.node.monitor.StillComputing;
import io.gpushare.plugin.node.pod.NodePod;

/** Passes the changes of the node's pods to the parts that they concern. */
record PodReports(
        LatestHoldings holdings,
        LatestSnapshot latest,
        NodeClaims claims,
        ActiveOffer offer,
        StillComputing ended,
        RebootReporter reboots)
        implements NodePodInformer.Listener {
    @Override
    public void changed(NodePod pod) {
        latest.update(snapshot -> snapshot.withPod(pod));
        claims.pod(pod);
        holdings.pod(pod);
        offer.podChanged();
    }

    @Override
    public void deleted(String uid) {
        ended.remember();
        latest.update(snapshot -> snapshot.withoutPod(uid));
        claims.podDeleted(uid);
        holdings.podDeleted(uid);
        offer.podDeleted();
    }

    @Override
    public void rejected(PodRef pod, String message) {
        reboots.rejected(pod, message);
    }
}
