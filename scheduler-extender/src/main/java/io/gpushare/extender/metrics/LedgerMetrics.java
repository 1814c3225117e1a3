package io.gpushare.extender.metrics;

import io.gpushare.extender.ledger.LedgerStats;
import io.gpushare.extender.ledger.LedgerStats.Amounts;
import io.gpushare.extender.ledger.LedgerStats.CardUse;
import io.gpushare.extender.report.WaitReason;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * What the ledger says, all of it of one moment: at each scrape it is counted once. Of the cluster tells only the extender
 * that answers, so that sums over all extenders are right.
 */
final class LedgerMetrics implements MultiCollector {
    /** How the names of all metrics begin that have a series by node. */
    static final String BY_NODE = "gpushare_node_";

    // More models than any cluster has: what is beyond is told together.
    private static final int MODELS = 50;
    private static final int LONGEST_MODEL = 100;
    private static final String OTHER_MODELS = "other";

    private final MetricsSource told;

    LedgerMetrics(MetricsSource told) {
        this.told = told;
    }

    @Override
    public MetricSnapshots collect() {
        LedgerStats census = told.ledger().stats();
        MetricSnapshots.Builder all = MetricSnapshots.builder();
        all.metricSnapshot(gauge(
                "gpushare_extender_ledger_nodes",
                "Nodes: usable ones, whose inventory is known, and others.",
                census.nodes().entrySet().stream()
                        .map(node -> point(node.getValue(), "state", node.getKey()))
                        .toList()));
        all.metricSnapshot(gauge(
                "gpushare_extender_ledger_pods",
                "Pods that hold cards: assumed, doubtful (no answer came), bound (not yet seen back), or seen in the"
                        + " API.",
                census.pods().entrySet().stream()
                        .map(pods -> point(pods.getValue(), "standing", label(pods.getKey())))
                        .toList()));
        all.metricSnapshot(gauge(
                "gpushare_extender_unattributed_pods",
                "Bound pods with a demand of which nothing right says on which card they are.",
                List.of(point(census.unattributed()))));
        if (told.answers().getAsBoolean()) {
            waiting(all);
            cluster(all, byModel(census));
            nodes(all, census);
        }
        return all.build();
    }

    private void waiting(MetricSnapshots.Builder all) {
        Map<WaitReason, Integer> waits = told.waiting().counts();
        List<GaugeDataPointSnapshot> points = new ArrayList<>();
        for (WaitReason wait : WaitReason.values()) {
            points.add(point(waits.getOrDefault(wait, 0), "why", label(wait)));
        }
        all.metricSnapshot(gauge(
                "gpushare_extender_waiting_pods",
                "Pods for which kube-scheduler found no node: there is room now, it is free in pieces, all is full, it"
                        + " is never to be had, or what is written on the pod is wrong.",
                points));
    }

    private static void cluster(MetricSnapshots.Builder all, Map<String, Amounts> models) {
        List<GaugeDataPointSnapshot> cards = new ArrayList<>();
        models.forEach((model, amounts) -> {
            for (CardUse use : CardUse.values()) {
                cards.add(point(amounts.cards().getOrDefault(use, 0), "model", model, "state", label(use)));
            }
        });
        all.metricSnapshot(gauge(
                "gpushare_cluster_cards",
                "Cards, each in the first state that is true of it: overused, ill, cordoned, whole, shared, idle.",
                cards));
        memory(all, models, "capacity", "All memory of the cards.", Amounts::capacity);
        memory(
                all,
                models,
                "allocated",
                "Memory that pods hold; all of a card that is taken whole.",
                Amounts::allocated);
        memory(all, models, "free", "Whole units of memory that new pods may have.", Amounts::free);
        memory(
                all,
                models,
                "fragmented",
                "Part of the free memory that the mean of the pods that usually come can't have.",
                Amounts::fragmented);
        memory(
                all,
                models,
                "wasted",
                "Part of the free memory that none of the pods that usually come can have.",
                Amounts::wasted);
    }

    private static void memory(
            MetricSnapshots.Builder all,
            Map<String, Amounts> models,
            String what,
            String help,
            ToDoubleFunction<Amounts> bytes) {
        all.metricSnapshot(gauge(
                "gpushare_cluster_memory_" + what + "_bytes",
                help,
                models.entrySet().stream()
                        .map(model -> point(bytes.applyAsDouble(model.getValue()), "model", model.getKey()))
                        .toList()));
    }

    private static void nodes(MetricSnapshots.Builder all, LedgerStats census) {
        node(all, census, "capacity", "All memory of the node's cards.", Amounts::capacity);
        node(all, census, "allocated", "Memory that pods hold there.", Amounts::allocated);
        node(
                all,
                census,
                "wasted",
                "Free memory there that none of the pods that usually come can have.",
                Amounts::wasted);
    }

    private static void node(
            MetricSnapshots.Builder all,
            LedgerStats census,
            String what,
            String help,
            ToDoubleFunction<Amounts> bytes) {
        all.metricSnapshot(gauge(
                BY_NODE + "memory_" + what + "_bytes",
                help,
                census.usable().entrySet().stream()
                        .map(node -> point(bytes.applyAsDouble(node.getValue()), "node", node.getKey()))
                        .toList()));
    }

    /** The models with most memory, and all others as one. */
    private static Map<String, Amounts> byModel(LedgerStats census) {
        List<String> most = census.models().entrySet().stream()
                .sorted(Comparator.comparingLong(model -> -model.getValue().capacity()))
                .map(Map.Entry::getKey)
                .limit(MODELS)
                .toList();
        Map<String, Amounts> models = new TreeMap<>();
        census.models()
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

    private static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
