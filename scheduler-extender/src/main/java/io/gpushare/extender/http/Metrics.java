package io.gpushare.extender.http;

import io.gpushare.extender.scheduling.BindResult;
import io.gpushare.extender.scheduling.Filtered;
import io.gpushare.extender.scheduling.Hold.Standing;
import io.gpushare.extender.scheduling.Ledger;
import io.gpushare.extender.scheduling.Reason;
import io.gpushare.extender.scheduling.Victims;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What the extender counts, in Prometheus' text form; no label has more values than a small fixed set. */
public final class Metrics {
    static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

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
    private final Counter nodes = Counter.builder()
            .name("gpushare_extender_filtered_nodes_total")
            .help("Nodes judged by filter: feasible, or why not.")
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

    public Metrics(Ledger ledger) {
        gauge(
                "gpushare_extender_ledger_nodes",
                "Nodes whose inventory is known.",
                () -> ledger.nodes().stream()
                        .filter(node -> node.unusable() == null)
                        .count());
        gauge(
                "gpushare_extender_unattributed_pods",
                "Bound pods with a demand of which nothing right says on which card they are.",
                ledger::unattributed);
        gauge(
                "gpushare_extender_overused_cards",
                "Cards on which more is allocated, by pods' annotations, than they have; they count as full.",
                ledger::overused);
        CounterWithCallback.builder()
                .name("gpushare_extender_annotations_disbelieved_total")
                .help("Pods whose allocation annotation is malformed, is not their demand, or can't be true beside the"
                        + " others.")
                .callback(callback -> callback.call((double) ledger.disbelieved()))
                .register(registry);
        GaugeWithCallback.builder()
                .name("gpushare_extender_ledger_pods")
                .help("Pods that hold cards: assumed, doubtful (no answer came), bound (not yet seen back), or seen"
                        + " in the API.")
                .labelNames("standing")
                .callback(callback -> {
                    callback.call(ledger.holding(Standing.ASSUMED), "assumed");
                    callback.call(ledger.holding(Standing.DOUBTFUL), "doubtful");
                    callback.call(ledger.holding(Standing.BOUND), "bound");
                    callback.call(ledger.holding(Standing.SEEN), "seen");
                })
                .register(registry);
    }

    /** Tells from now on of the pods that wait. */
    public void waiting(IntSupplier refused, LongSupplier nudges) {
        gauge(
                "gpushare_extender_waiting_pods",
                "Pods with a demand for which kube-scheduler found no node.",
                refused::getAsInt);
        CounterWithCallback.builder()
                .name("gpushare_extender_nudges_total")
                .help("How often kube-scheduler was made to look again at a waiting pod, since there was room for it.")
                .callback(callback -> callback.call((double) nudges.getAsLong()))
                .register(registry);
    }

    /** Tells from now on whether this extender leads. */
    public void leading(BooleanSupplier leads) {
        gauge(
                "gpushare_extender_leader",
                "1 for the extender that leads, and so answers; 0 for one that waits.",
                () -> leads.getAsBoolean() ? 1 : 0);
    }

    private void gauge(String name, String help, DoubleSupplier value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .callback(callback -> callback.call(value.getAsDouble()))
                .register(registry);
    }

    void answered(String verb, long nanos) {
        seconds.labelValues(verb).observe(nanos / 1e9);
    }

    void failed(String verb, String reason) {
        failures.labelValues(verb, reason).inc();
    }

    void filtered(Filtered filtered) {
        Map<String, Integer> byOutcome = new HashMap<>();
        int feasible = 0;
        for (int i = 0; i < filtered.size(); i++) {
            @Nullable Reason why = filtered.why(i);
            if (why == null) {
                feasible++;
            } else {
                byOutcome.merge(why.label(), 1, Integer::sum);
            }
        }
        byOutcome.put("feasible", feasible);
        byOutcome.forEach((outcome, count) -> nodes.labelValues(outcome).inc(count));
    }

    void preempted(Map<String, Victims> asked, Map<String, Victims> answered) {
        asked.forEach((node, victims) -> {
            Victims now = answered.get(node);
            String outcome = now == null ? "dropped" : now.equals(victims) ? "unchanged" : "extended";
            preempted.labelValues(outcome).inc();
        });
    }

    void bound(BindResult result) {
        binds.labelValues(result.label()).inc();
    }

    Buffer text() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(4096);
        try {
            PrometheusTextFormatWriter.create().write(bytes, registry.scrape());
        } catch (IOException e) {
            throw new UncheckedIOException("memory takes all that is written to it", e);
        }
        return Buffer.buffer(bytes.toByteArray());
    }
}
