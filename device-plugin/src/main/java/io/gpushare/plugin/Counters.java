package io.gpushare.plugin;

import io.gpushare.model.card.CardId;
import io.gpushare.plugin.admission.CallCounters;
import io.gpushare.plugin.allocation.Caller;
import io.gpushare.plugin.allocation.RefusalKind;
import io.gpushare.plugin.cards.CardScanner;
import io.gpushare.plugin.cluster.AllocationReconciler;
import io.gpushare.plugin.cluster.NodeLease;
import io.gpushare.plugin.cluster.PodEventRecorder;
import io.gpushare.plugin.isolation.IsolationProvider;
import io.gpushare.plugin.isolation.enforcement.NodeIsolation;
import io.gpushare.plugin.kubelet.KubeletConnection;
import io.gpushare.plugin.metrics.PluginCounters;
import io.gpushare.plugin.monitor.OverUseGuard;
import io.gpushare.plugin.monitor.UsageMonitor;
import io.gpushare.plugin.snapshot.AnnotationDifference;
import io.gpushare.plugin.snapshot.NodeSnapshot;
import io.gpushare.plugin.state.LatestSnapshot;
import io.gpushare.plugin.usage.ContainerShare;
import io.gpushare.plugin.usage.NodeUsage;
import io.gpushare.plugin.usage.OverUse;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the counters of the plugin's parts for the metrics. */
record Counters(
        CallCounters calls,
        AllocationReconciler allocations,
        KubeletConnection kubelet,
        CardScanner cards,
        PodEventRecorder events,
        OverUseGuard overUse,
        UsageMonitor monitor,
        NodeLease lease,
        LatestSnapshot latest,
        NodeIsolation isolation,
        IsolationProvider provider)
        implements PluginCounters {
    @Override
    public Map<Caller.Evidence, Long> identified() {
        return calls.identified();
    }

    @Override
    public Map<RefusalKind, Long> refused() {
        return calls.refused();
    }

    @Override
    public Map<AnnotationDifference.Kind, Long> differences() {
        return allocations.found();
    }

    @Override
    public long repaired() {
        return allocations.repaired();
    }

    @Override
    public long failedRepairs() {
        return allocations.failures();
    }

    @Override
    public Map<String, Long> registrations() {
        return kubelet.registrations();
    }

    @Override
    public Map<PluginCounters.Xid, Long> xids() {
        Map<PluginCounters.Xid, Long> counts = new HashMap<>();
        cards.counts()
                .forEach(
                        (xid, count) -> counts.put(new PluginCounters.Xid(xid.card(), xid.xid(), xid.remedy()), count));
        return counts;
    }

    @Override
    public long eventsLost() {
        return events.lost();
    }

    @Override
    public Map<String, Long> evictions() {
        return overUse.counts();
    }

    @Override
    public boolean apiServerResponds() {
        return !lease.lost();
    }

    @Override
    public NodeUsage usage() {
        return monitor.now();
    }

    @Override
    public List<OverUse.Excess> excesses() {
        return monitor.excesses();
    }

    @Override
    public Optional<Duration> idle(ContainerShare share) {
        return monitor.idle(share);
    }

    @Override
    public long refusedStarts() {
        return isolation.refusedStarts();
    }

    @Override
    public Map<String, Long> isolationRepairs() {
        return provider.repairs();
    }

    @Override
    public Map<CardId, IsolationProvider.Figures> isolationFigures() {
        return provider.figures();
    }

    @Override
    public NodeSnapshot snapshot() {
        return latest.now();
    }
}
