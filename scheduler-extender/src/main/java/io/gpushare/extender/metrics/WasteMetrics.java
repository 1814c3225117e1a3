package io.gpushare.extender.metrics;

import io.gpushare.extender.waste.Sums;
import io.gpushare.extender.waste.WasteReport;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * What pods waste, as of the last round over all device plugins; absent before it, and while this extender does not
 * answer kube-scheduler. The page shows the same figures.
 */
final class WasteMetrics implements MultiCollector {
    private final BooleanSupplier ready;
    private final Supplier<WasteReport> waste;

    WasteMetrics(BooleanSupplier ready, Supplier<WasteReport> waste) {
        this.ready = ready;
        this.waste = waste;
    }

    @Override
    public MetricSnapshots collect() {
        MetricSnapshots.Builder all = MetricSnapshots.builder();
        WasteReport report = waste.get();
        if (ready.getAsBoolean() && report.known()) {
            Sums sums = report.total();
            add(all, "memory_measured_bytes", "Allocated memory of the pods whose usage is known.", sums.measured());
            add(all, "memory_used_bytes", "Memory that these pods use.", sums.used());
            add(all, "memory_unused_bytes", "Memory that is allocated to these pods and not used.", sums.unused());
            add(all, "memory_over_limit_bytes", "Memory that pods use beyond what is allocated to them.", sums.over());
            add(
                    all,
                    "memory_idle_bytes",
                    "Memory that is allocated to pods that have not computed for 30 minutes.",
                    sums.idle());
            add(all, "pods_over_limit", "Pods on cards that use more than is allocated to them.", sums.podsOver());
            add(all, "pods_idle", "Pods on cards that have not computed for 30 minutes.", sums.podsIdle());
        }
        return all.build();
    }

    private static void add(MetricSnapshots.Builder all, String name, String help, long value) {
        all.metricSnapshot(GaugeSnapshot.builder()
                .name("gpushare_cluster_" + name)
                .help(help)
                .dataPoint(new GaugeDataPointSnapshot((double) value, Labels.EMPTY, null))
                .build());
    }
}
