package io.gpushare.extender.metrics;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.FilterResult;
import io.gpushare.extender.preemption.Victims;
import io.gpushare.extender.scheduling.BindResult;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * What the extender tells Prometheus, in its text form. The names are for users: scheduler-extender/METRICS.md lists them.
 * What is counted by request takes no lock; all else is asked for at a scrape.
 */
public final class ExtenderMetrics {
    public static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

    private static final List<String> VERBS = List.of("filter", "prioritize", "preempt", "bind");

    private final MetricsRenderer scrapes = new MetricsRenderer(this::write);
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Histogram seconds = Histogram.builder()
            .name("gpushare_extender_request_duration_seconds")
            .help("From a request's first byte to its answer.")
            .labelNames("verb")
            .classicOnly()
            .classicUpperBounds(0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
            .register(registry);
    private final Counter failures = Counter.builder()
            .name("gpushare_extender_request_errors_total")
            .help("Requests that could not be answered as asked.")
            .labelNames("verb", "reason")
            .register(registry);
    private final Counter filters = Counter.builder()
            .name("gpushare_extender_filters_total")
            .help("Answers of filter: with a node, or with none.")
            .labelNames("outcome")
            .register(registry);
    private final Counter nodes = Counter.builder()
            .name("gpushare_extender_filtered_nodes_total")
            .help("Nodes judged by filter: feasible for those that it named, or why not.")
            .labelNames("outcome")
            .register(registry);
    private final Counter preempted = Counter.builder()
            .name("gpushare_extender_preemption_nodes_total")
            .help("Candidates of preemption: taken as kube-scheduler chose (unchanged), with further victims"
                    + " (extended), or dropped, since no eviction there would help.")
            .labelNames("outcome")
            .register(registry);
    private final Counter binds = Counter.builder()
            .name("gpushare_extender_binds_total")
            .help("Binds by what came of them.")
            .labelNames("outcome")
            .register(registry);

    public ExtenderMetrics(String version, MetricsSource told) {
        // What has not happened yet is 0, not absent: so the first time it happens is an increase.
        VERBS.forEach(seconds::initLabelValues);
        VERBS.forEach(verb -> List.of("not_ready", "bad_request").forEach(why -> failures.initLabelValues(verb, why)));
        failures.initLabelValues("preempt", "internal");
        List.of("internal", "no_certificate", "too_large", "too_many", "slow")
                .forEach(why -> failures.initLabelValues("any", why));
        List.of("node", "no_node").forEach(filters::initLabelValues);
        nodes.initLabelValues("feasible");
        Reason.labels().forEach(nodes::initLabelValues);
        List.of("unchanged", "extended", "dropped").forEach(preempted::initLabelValues);
        BindResult.labels().forEach(binds::initLabelValues);
        Info.builder()
                .name("gpushare_extender_build_info")
                .help("The version of the program.")
                .labelNames("version")
                .register(registry)
                .setLabelValues(version);
        yes("gpushare_extender_leader", "1 for the extender that leads; 0 for one that waits.", told.leads());
        yes(
                "gpushare_extender_ready",
                "1 for the extender that leads and whose ledger is current, and so answers.",
                told.answers());
        counter(
                "gpushare_extender_annotations_disbelieved_total",
                "Pods whose allocation annotation is malformed, is not their demand, or can't be true beside the"
                        + " others.",
                told.ledger()::rejectedAnnotations);
        counter(
                "gpushare_extender_nudges_total",
                "How often kube-scheduler was made to look again at a waiting pod, since there was room for it.",
                told.waiting()::named);
        counter(
                "gpushare_extender_events_lost_total",
                "Events of pods that could not be recorded at the API server.",
                told.eventsLost());
        informers(told);
        registry.register(new LedgerMetrics(told));
    }

    private void informers(MetricsSource told) {
        GaugeWithCallback.builder()
                .name("gpushare_extender_informer_heard_timestamp_seconds")
                .help("When the API server was last heard of: an answered list, an event or a bookmark of the watch; 0"
                        + " before the first.")
                .labelNames("resource")
                .callback(
                        callback -> told.heard().get().forEach((resource, at) -> callback.call(seconds(at), resource)))
                .register(registry);
        CounterWithCallback.builder()
                .name("gpushare_extender_informer_changes_total")
                .help("Changes that the ledger was told.")
                .labelNames("resource")
                .callback(callback ->
                        told.changes().get().forEach((resource, count) -> callback.call((double) count, resource)))
                .register(registry);
    }

    private static double seconds(Instant at) {
        return at.toEpochMilli() / 1e3;
    }

    private void yes(String name, String help, BooleanSupplier value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .callback(callback -> callback.call(value.getAsBoolean() ? 1 : 0))
                .register(registry);
    }

    private void counter(String name, String help, LongSupplier value) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .callback(callback -> callback.call((double) value.getAsLong()))
                .register(registry);
    }

    public void answered(String verb, long nanos) {
        seconds.labelValues(verb).observe(nanos / 1e9);
    }

    public void failed(String verb, String reason) {
        failures.labelValues(verb, reason).inc();
    }

    public void filtered(FilterResult filtered) {
        filters.labelValues(filtered.passed() == 0 ? "no_node" : "node").inc();
        nodes.labelValues("feasible").inc(filtered.passed());
        for (int reason = 0; reason < filtered.reasons().size(); reason++) {
            nodes.labelValues(filtered.reasons().get(reason).label()).inc(filtered.count(reason));
        }
    }

    public void preempted(Map<String, Victims> asked, Map<String, Victims> answered) {
        asked.forEach((node, victims) -> {
            Victims now = answered.get(node);
            String outcome = now == null ? "dropped" : now.equals(victims) ? "unchanged" : "extended";
            preempted.labelValues(outcome).inc();
        });
    }

    public void bound(BindResult result) {
        binds.labelValues(result.label()).inc();
    }

    /**
     * All of it as text, soon and from another thread.
     *
     * @param names whether nodes may be named in it
     */
    public CompletableFuture<Buffer> text(boolean names) {
        return scrapes.text(names);
    }

    private Buffer write(boolean names) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(1 << 15);
        try {
            PrometheusTextFormatWriter.create()
                    .write(bytes, registry.scrape(metric -> names || !metric.startsWith(LedgerMetrics.BY_NODE)));
        } catch (IOException e) {
            throw new UncheckedIOException("memory takes all that is written to it", e);
        }
        return Buffer.buffer(bytes.toByteArray());
    }
}
