package io.gpushare.plugin.metrics;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.plugin.allocation.Caller;
import io.gpushare.plugin.allocation.RefusalKind;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** Everything that the plugin tells Prometheus, in its text form. */
public final class PluginMetrics {
    /** A call of the kubelet that is timed. */
    public enum Call {
        ALLOCATE,
        GET_PREFERRED_ALLOCATION
    }

    static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Histogram seconds = Histogram.builder()
            .name("gpushare_plugin_call_duration_seconds")
            .help("From a call of the kubelet to its answer; above 2 s all pods of the node would wait.")
            .labelNames("call")
            .classicOnly()
            .classicUpperBounds(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5)
            .register(registry);

    public PluginMetrics(String version, PluginCounters counts) {
        for (Call call : Call.values()) {
            seconds.initLabelValues(label(call));
        }
        Info.builder()
                .name("gpushare_plugin_build_info")
                .help("The version of the program.")
                .labelNames("version")
                .register(registry)
                .setLabelValues(version);
        counter(
                "gpushare_plugin_containers_identified_total",
                "Containers that were given their cards, by the way in which they were found: lacks_devices and"
                        + " asks_again by the kubelet's pod-resources, demand_only without it.",
                "way",
                counts::found,
                Caller.Way::label);
        counter(
                "gpushare_plugin_allocations_refused_total",
                "Allocates that were refused: the kubelet rejects the pod for good.",
                "reason",
                counts::refused,
                RefusalKind::label);
        counter(
                "gpushare_plugin_differences_found_total",
                "Pods whose allocation annotation was missing (unwritten), wrong, or in doubt after a restart.",
                "kind",
                counts::differences,
                kind -> kind.name().toLowerCase(Locale.ROOT));
        counter("gpushare_plugin_differences_mended_total", "Those of them that were mended.", counts::mended);
        counter(
                "gpushare_plugin_differences_mending_failed_total",
                "Attempts to mend one that failed; each is tried again.",
                counts::failedMends);
        counter(
                "gpushare_plugin_registrations_total",
                "Registrations with the kubelet: each after the first is one that was lost.",
                "resource",
                counts::registrations,
                Function.identity());
        counter(
                "gpushare_plugin_events_lost_total",
                "Events of pods that could not be recorded at the API server.",
                counts::eventsLost);
        CounterWithCallback.builder()
                .name("gpushare_card_xid_errors_total")
                .help("Xid errors since the plugin began; no card and model where the driver did not say which it was.")
                .labelNames("card", "model", "xid", "remedy")
                .callback(callback -> counts.xids().forEach((xid, count) -> {
                    Optional<CardId> card = xid.card();
                    String model = card.flatMap(counts.picture().inventory()::card)
                            .map(Card::model)
                            .orElse("");
                    callback.call(
                            count,
                            card.map(CardId::uuid).orElse(""),
                            model,
                            String.valueOf(xid.number()),
                            xid.remedy());
                }))
                .register(registry);
        counter(
                "gpushare_plugin_over_use_evictions_total",
                "Evictions of pods that used more memory than they were given: evicted, refused or failed.",
                "outcome",
                counts::evictions,
                Function.identity());
        new CardMetrics(counts, registry).register();
        new ContainerMetrics(counts, registry).register();
    }

    private void counter(String name, String help, Supplier<Long> value) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .callback(callback -> callback.call(value.get()))
                .register(registry);
    }

    private <K> void counter(
            String name, String help, String label, Supplier<Map<K, Long>> values, Function<K, String> value) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(label)
                .callback(callback -> values.get().forEach((key, count) -> callback.call(count, value.apply(key))))
                .register(registry);
    }

    private static String label(Call call) {
        return call.name().toLowerCase(Locale.ROOT);
    }

    /** A call of the kubelet was answered, or failed, after that time. */
    public void took(Call call, long nanos) {
        seconds.labelValues(label(call)).observe(nanos / 1e9);
    }

    byte[] text() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(4096);
        try {
            PrometheusTextFormatWriter.create().write(bytes, registry.scrape());
        } catch (IOException e) {
            throw new UncheckedIOException("memory takes all that is written to it", e);
        }
        return bytes.toByteArray();
    }
}
