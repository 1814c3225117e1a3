package io.gpushare.insight.metrics;

import io.gpushare.extender.Core;
import io.gpushare.extender.feasibility.FilterResult;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.preemption.PreemptionCounts;
import io.gpushare.extender.preemption.PreemptionTurns;
import io.gpushare.extender.preemption.Victims;
import io.gpushare.extender.protocol.RequestObserver;
import io.gpushare.extender.scheduling.BindResult;
import io.gpushare.insight.waste.WasteReport;
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
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The extender's metrics in Prometheus' text format; deploy/docs/reference/metrics-extender.md lists them. Counting a
 * request takes no lock. Everything else is collected during a scrape.
 */
public final class ExtenderMetrics implements RequestObserver {
    public static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

    private static final List<String> VERBS = List.of("filter", "prioritize", "preempt", "bind");

    private final MetricsRenderer renderer = new MetricsRenderer(this::write);
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Histogram seconds = Histogram.builder()
            .name("gpushare_extender_request_duration_seconds")
            .help("Time from the head of a request to its response.")
            .labelNames("verb")
            .classicOnly()
            .classicUpperBounds(0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
            .register(registry);
    private final Counter failures =
            counter("gpushare_extender_request_errors_total", "Requests that failed.", "verb", "reason");
    private final Counter filters =
            counter("gpushare_extender_filters_total", "Responses of filter: with a node or without one.", "outcome");
    private final Counter nodes = counter(
            "gpushare_extender_filtered_nodes_total",
            "Nodes that filter checked: feasible ones that it returned, or the reason against the node.",
            "outcome");
    private final Counter preempted = counter(
            "gpushare_extender_preemption_nodes_total",
            "Candidates of preemption: with kube-scheduler's victims (unchanged), with further victims"
                    + " (extended), or dropped because no eviction there makes the pod fit.",
            "outcome");
    private final Counter binds = counter("gpushare_extender_binds_total", "Binds by outcome.", "outcome");

    /** @param waste what is wasted, as of the last round */
    public ExtenderMetrics(String version, Core source, Supplier<WasteReport> waste) {
        // Series start at 0 instead of being absent, so that the first event is an increase.
        VERBS.forEach(seconds::initLabelValues);
        VERBS.forEach(verb -> List.of("not_ready", "bad_request", "web_page", "foreign_host")
                .forEach(why -> failures.initLabelValues(verb, why)));
        failures.initLabelValues("preempt", "internal");
        List.of("internal", "no_certificate", "too_large", "too_many", "too_many_connections", "slow")
                .forEach(why -> failures.initLabelValues("any", why));
        List.of("node", "no_node").forEach(filters::initLabelValues);
        nodes.initLabelValues("feasible");
        Reason.labels().forEach(nodes::initLabelValues);
        List.of("unchanged", "extended", "dropped").forEach(preempted::initLabelValues);
        BindResult.labels().forEach(binds::initLabelValues);
        Info.builder()
                .name("gpushare_extender_build_info")
                .help("Version of the program.")
                .labelNames("version")
                .register(registry)
                .setLabelValues(version);
        flag("gpushare_extender_leader", "1 if this extender leads, 0 if it is on standby.", source.leads());
        flag(
                "gpushare_extender_ready",
                "1 if this extender leads and its ledger is current, so that it serves kube-scheduler.",
                source::ready);
        counter(
                "gpushare_extender_annotations_disbelieved_total",
                "Pods whose allocation annotation is malformed, differs from their demand, or contradicts the"
                        + " annotations of other pods.",
                source.rejectedAnnotations());
        counter(
                "gpushare_extender_nudges_total",
                "Waiting pods that kube-scheduler was made to retry because they fit now.",
                source.waiting()::named);
        counter(
                "gpushare_extender_events_lost_total",
                "Events on pods that could not be recorded.",
                source.events()::lost);
        counter(
                "gpushare_extender_rejected_pods_total",
                "Pods that a kubelet rejected within a minute after this extender bound them.",
                source.outcomes().admissions()::rejections);
        GaugeWithCallback.builder()
                .name("gpushare_extender_backing_off_nodes")
                .help("Nodes that get no pod of some namespace now, because their kubelets rejected the last ones.")
                .callback(
                        callback -> callback.call(source.outcomes().admissions().closed()))
                .register(registry);
        preemptions(source.preemptions());
        informers(source);
        claims(source);
        registry.register(new LedgerMetrics(source, waste));
    }

    private void preemptions(PreemptionCounts counts) {
        CounterWithCallback.builder()
                .name("gpushare_extender_evictions_total")
                .help("Evictions by this extender for waiting pods of higher priority, by outcome.")
                .labelNames("outcome")
                .callback(callback -> {
                    for (PreemptionCounts.Eviction each : PreemptionCounts.Eviction.values()) {
                        callback.call((double) counts.evictions(each), label(each));
                    }
                })
                .register(registry);
        CounterWithCallback.builder()
                .name("gpushare_extender_preemptions_total")
                .help("Waiting pods for which this extender held cards: bound, gone, or not bound in time (expired).")
                .labelNames("outcome")
                .callback(callback -> {
                    for (PreemptionTurns.Ended.How each : PreemptionTurns.Ended.How.values()) {
                        callback.call((double) counts.preemptions(each), label(each));
                    }
                })
                .register(registry);
    }

    static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private void informers(Core source) {
        GaugeWithCallback.builder()
                .name("gpushare_extender_informer_heard_timestamp_seconds")
                .help("Time of the last message from the API server: a list, an event or a bookmark of the watch; 0"
                        + " before the first.")
                .labelNames("resource")
                .callback(callback ->
                        source.heard().get().forEach((resource, at) -> callback.call(seconds(at), resource)))
                .register(registry);
        CounterWithCallback.builder()
                .name("gpushare_extender_informer_changes_total")
                .help("Changes passed to the ledger.")
                .labelNames("resource")
                .callback(callback ->
                        source.changes().get().forEach((resource, count) -> callback.call((double) count, resource)))
                .register(registry);
    }

    private void claims(Core source) {
        GaugeWithCallback.builder()
                .name("gpushare_extender_claims_behind_seconds")
                .help("Time by which the ledger is behind what pods have by claims.")
                .callback(callback -> callback.call(source.behind().get().toMillis() / 1e3))
                .register(registry);
    }

    private static double seconds(Instant at) {
        return at.toEpochMilli() / 1e3;
    }

    private void flag(String name, String help, BooleanSupplier value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .callback(callback -> callback.call(value.getAsBoolean() ? 1 : 0))
                .register(registry);
    }

    private Counter counter(String name, String help, String... labels) {
        return Counter.builder().name(name).help(help).labelNames(labels).register(registry);
    }

    private void counter(String name, String help, LongSupplier value) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .callback(callback -> callback.call((double) value.getAsLong()))
                .register(registry);
    }

    @Override
    public void responded(String verb, long nanos) {
        seconds.labelValues(verb).observe(nanos / 1e9);
    }

    @Override
    public void failed(String verb, String reason) {
        failures.labelValues(verb, reason).inc();
    }

    @Override
    public void filtered(FilterResult filtered) {
        filters.labelValues(filtered.passed() == 0 ? "no_node" : "node").inc();
        nodes.labelValues("feasible").inc(filtered.passed());
        filtered.counts()
                .forEach((reason, count) -> nodes.labelValues(reason.label()).inc(count));
    }

    @Override
    public void preempted(Map<String, Victims> candidates, Map<String, Victims> response) {
        candidates.forEach((node, victims) -> {
            Victims now = response.get(node);
            String outcome = now == null ? "dropped" : now.equals(victims) ? "unchanged" : "extended";
            preempted.labelValues(outcome).inc();
        });
    }

    @Override
    public void bound(BindResult result) {
        binds.labelValues(result.label()).inc();
    }

    /**
     * Renders all metrics as text on another thread.
     *
     * @param names whether series per node are included
     */
    public CompletableFuture<Buffer> text(boolean names) {
        return renderer.text(names);
    }

    private Buffer write(boolean names) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(1 << 15);
        try {
            PrometheusTextFormatWriter.create()
                    .write(bytes, registry.scrape(metric -> names || !metric.startsWith(LedgerMetrics.BY_NODE)));
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return Buffer.buffer(bytes.toByteArray());
    }
}
