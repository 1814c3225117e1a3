package io.gpushare.insight.metrics;

import io.gpushare.extender.Core;
import io.gpushare.extender.scheduling.WaitReason;
import io.gpushare.insight.waste.LedgerStats;
import io.gpushare.insight.waste.LedgerStats.Amounts;
import io.gpushare.insight.waste.LedgerStats.CardUse;
import io.gpushare.insight.waste.Sums;
import io.gpushare.insight.waste.WasteReport;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Metrics of the ledger and of waste, counted once per scrape from one snapshot. Only the extender that answers
 * kube-scheduler reports the cluster, so that sums over all extenders are right.
 */
final class LedgerMetrics implements MultiCollector {
    /** The prefix of all metrics with a series per node. */
    static final String BY_NODE = "gpushare_node_";

    // More models than any cluster has; the rest is one series.
    private static final int MODELS = 50;
    private static final int LONGEST_MODEL = 100;
    private static final String OTHER_MODELS = "other";

    private final Core source;
    private final Supplier<WasteReport> waste;

    LedgerMetrics(Core source, Supplier<WasteReport> waste) {
        this.source = source;
        this.waste = waste;
    }

    @Override
    public MetricSnapshots collect() {
        LedgerStats stats =
                LedgerStats.of(source.states().get(), source.placer().fragmentation());
        MetricSnapshots.Builder all = MetricSnapshots.builder();
        all.metricSnapshot(gauge(
                "gpushare_extender_ledger_nodes",
                "Nodes: usable ones, whose inventory is known, and others.",
                stats.nodes().entrySet().stream()
                        .map(node -> point(node.getValue(), "state", node.getKey()))
                        .toList()));
        all.metricSnapshot(gauge(
                "gpushare_extender_ledger_pods",
                "Pods that hold cards: assumed, doubtful (the outcome of the Binding is unknown), bound (not yet"
                        + " seen by the informer), or seen in the API.",
                stats.pods().entrySet().stream()
                        .map(pods -> point(pods.getValue(), "standing", ExtenderMetrics.label(pods.getKey())))
                        .toList()));
        all.metricSnapshot(gauge(
                "gpushare_extender_unattributed_pods",
                "Bound pods with a demand and without a valid allocation annotation.",
                List.of(point(stats.unattributed()))));
        if (source.ready()) {
            waiting(all);
            cluster(all, byModel(stats));
            nodes(all, stats.usable());
            waste(all, waste.get());
        }
        return all.build();
    }

    private void waiting(MetricSnapshots.Builder all) {
        Map<WaitReason, Integer> waits = source.waiting().counts();
        List<GaugeDataPointSnapshot> points = new ArrayList<>();
        for (WaitReason wait : WaitReason.values()) {
            points.add(point(waits.getOrDefault(wait, 0), "why", ExtenderMetrics.label(wait)));
        }
        all.metricSnapshot(gauge(
                "gpushare_extender_waiting_pods",
                "Pods for which kube-scheduler found no node: they fit now, the free memory is fragmented, the cards"
                        + " are full, they accept no node that could take them, no node is large enough, or their"
                        + " annotation or amount is invalid; and pods that scheduling gates hold.",
                points));
    }

    private static void cluster(MetricSnapshots.Builder all, Map<String, Amounts> models) {
        List<GaugeDataPointSnapshot> cards = new ArrayList<>();
        models.forEach((model, amounts) -> {
            for (CardUse use : CardUse.values()) {
                cards.add(point(
                        amounts.cards().getOrDefault(use, 0), "model", model, "state", ExtenderMetrics.label(use)));
            }
        });
        all.metricSnapshot(gauge(
                "gpushare_cluster_cards",
                "Cards, each in the first state that applies: overcommitted, unhealthy, cordoned or of a node that is"
                        + " shut for a while, in use by another offer, whole, shared, idle.",
                cards));
        bytes(
                all,
                "gpushare_cluster_memory_capacity_bytes",
                "Total memory of the cards.",
                "model",
                models,
                Amounts::capacity);
        bytes(
                all,
                "gpushare_cluster_memory_allocated_bytes",
                "Allocated memory; all of a card that is taken whole.",
                "model",
                models,
                Amounts::allocated);
        bytes(
                all,
                "gpushare_cluster_memory_free_bytes",
                "Free memory in whole units that new pods can get.",
                "model",
                models,
                Amounts::free);
        bytes(
                all,
                "gpushare_cluster_memory_fragmented_bytes",
                "Part of the free memory that typical pods can't use, averaged over them.",
                "model",
                models,
                Amounts::fragmented);
        bytes(
                all,
                "gpushare_cluster_memory_wasted_bytes",
                "Part of the free memory that no typical pod can use.",
                "model",
                models,
                Amounts::wasted);
    }

    private static void nodes(MetricSnapshots.Builder all, Map<String, Amounts> nodes) {
        bytes(
                all,
                "gpushare_node_memory_capacity_bytes",
                "Total memory of the node's cards.",
                "node",
                nodes,
                Amounts::capacity);
        bytes(
                all,
                "gpushare_node_memory_allocated_bytes",
                "Allocated memory of the node.",
                "node",
                nodes,
                Amounts::allocated);
        bytes(
                all,
                "gpushare_node_memory_wasted_bytes",
                "Free memory of the node that no typical pod can use.",
                "node",
                nodes,
                Amounts::wasted);
    }

    private static void bytes(
            MetricSnapshots.Builder all,
            String name,
            String help,
            String label,
            Map<String, Amounts> amounts,
            ToDoubleFunction<Amounts> bytes) {
        all.metricSnapshot(gauge(
                name,
                help,
                amounts.entrySet().stream()
                        .map(each -> point(bytes.applyAsDouble(each.getValue()), label, each.getKey()))
                        .toList()));
    }

    /** Of the last round over all device plugins; absent before it. The page shows the same figures. */
    private static void waste(MetricSnapshots.Builder all, WasteReport report) {
        if (!report.known()) {
            return;
        }
        Sums sums = report.now().pods();
        waste(
                all,
                "gpushare_cluster_memory_measured_bytes",
                "Allocated memory of the pods whose usage is known.",
                sums.measured());
        waste(all, "gpushare_cluster_memory_used_bytes", "Memory that these pods use.", sums.usedBytes());
        waste(
                all,
                "gpushare_cluster_memory_unused_bytes",
                "Memory that is allocated to these pods and not used.",
                sums.unusedBytes());
        waste(
                all,
                "gpushare_cluster_memory_over_limit_bytes",
                "Memory that pods use beyond what is allocated to them.",
                sums.overBytes());
        waste(
                all,
                "gpushare_cluster_memory_idle_bytes",
                "Memory that is allocated to pods that have not computed for 30 minutes.",
                sums.idleBytes());
        waste(
                all,
                "gpushare_cluster_pods_over_limit",
                "Pods on cards that use more than is allocated to them.",
                sums.knownOver());
        waste(
                all,
                "gpushare_cluster_pods_idle",
                "Pods on cards that have not computed for 30 minutes.",
                sums.knownIdle());
        waste(
                all,
                "gpushare_cluster_pods_idle_unknown",
                "Pods on cards of which it is unknown whether they compute.",
                (long) sums.podsIdleUnknown());
    }

    /** Without a series if the value is unknown. */
    private static void waste(MetricSnapshots.Builder all, String name, String help, @Nullable Long value) {
        List<GaugeDataPointSnapshot> points = value == null ? List.of() : List.of(point((double) value));
        all.metricSnapshot(gauge(name, help, points));
    }

    /** The models with the most memory, and all others as one. */
    private static Map<String, Amounts> byModel(LedgerStats stats) {
        List<String> most = stats.models().entrySet().stream()
                .sorted(Comparator.comparingLong(model -> -model.getValue().capacity()))
                .map(Map.Entry::getKey)
                .limit(MODELS)
                .toList();
        Map<String, Amounts> models = new TreeMap<>();
        stats.models()
                .forEach((model, amounts) ->
                        models.merge(most.contains(model) ? shortened(model) : OTHER_MODELS, amounts, Amounts::plus));
        return models;
    }

    private static String shortened(String model) {
        return model.substring(0, Math.min(LONGEST_MODEL, model.length()));
    }

    private static GaugeSnapshot gauge(String name, String help, List<GaugeDataPointSnapshot> points) {
        GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(name).help(help);
        points.forEach(gauge::dataPoint);
        return gauge.build();
    }

    private static GaugeDataPointSnapshot point(double value, String... labels) {
        return new GaugeDataPointSnapshot(value, Labels.of(labels), null);
    }
}
