package io.gpushare.plugin.metrics;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.NoCards;
import io.gpushare.plugin.allocation.Caller;
import io.gpushare.plugin.allocation.RefusalKind;
import io.gpushare.plugin.snapshot.AnnotationDifference;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
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
import org.jspecify.annotations.Nullable;

/** Every metric of the plugin, in Prometheus' text format. */
public final class PluginMetrics {
    /** A kubelet call that is timed. */
    public enum Call {
        ALLOCATE,
        GET_PREFERRED_ALLOCATION,
        PRE_START_CONTAINER
    }

    static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Histogram seconds = Histogram.builder()
            .name("gpushare_plugin_call_duration_seconds")
            .help("Time to respond to a kubelet call; a slow response delays every pod of the node.")
            .labelNames("call")
            .classicOnly()
            .classicUpperBounds(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5)
            .register(registry);

    /** Registers what the plugin measures itself: the version and the duration of calls. */
    public PluginMetrics(String version) {
        for (Call call : Call.values()) {
            seconds.initLabelValues(label(call));
        }
        Info.builder()
                .name("gpushare_plugin_build_info")
                .help("The version of the program.")
                .labelNames("version")
                .register(registry)
                .setLabelValues(version);
    }

    /** Registers what the plugin's parts count; they are read at each scrape. */
    public void register(PluginCounters counts) {
        counter(
                "gpushare_plugin_containers_identified_total",
                "Containers that received their cards, by how they were identified: lacks_devices and asks_again by the"
                        + " kubelet's pod-resources, demand_only without it.",
                "way",
                counts::identified,
                Caller.Evidence::label);
        counter(
                "gpushare_plugin_allocations_refused_total",
                "Refused Allocate calls: the kubelet rejects the pod permanently.",
                "reason",
                counts::refused,
                RefusalKind::label);
        counter(
                "gpushare_plugin_differences_found_total",
                "Pods whose allocation annotation was missing (unwritten, or adopted from gpushare), wrong, or"
                        + " unconfirmed after a restart (doubtful).",
                "kind",
                counts::differences,
                AnnotationDifference.Kind::label);
        counter("gpushare_plugin_differences_mended_total", "Differences that were repaired.", counts::repaired);
        counter(
                "gpushare_plugin_differences_mending_failed_total",
                "Failed attempts to repair a difference; each is retried.",
                counts::failedRepairs);
        counter(
                "gpushare_plugin_registrations_total",
                "Registrations with the kubelet: each one after the first replaces a lost one.",
                "resource",
                counts::registrations,
                Function.identity());
        counter(
                "gpushare_plugin_events_lost_total",
                "Events on pods that could not be recorded at the API server.",
                counts::eventsLost);
        GaugeWithCallback.builder()
                .name("gpushare_plugin_api_server_responds")
                .help("0 if the API server has not responded for 15 s: free devices are withdrawn until it does.")
                .callback(callback -> callback.call(counts.apiServerResponds() ? 1 : 0))
                .register(registry);
        GaugeWithCallback.builder()
                .name("gpushare_plugin_no_cards")
                .help("1 for the reason why the node offers no cards, although the plugin runs.")
                .labelNames("reason")
                .callback(callback -> {
                    @Nullable NoCards now = counts.snapshot().inventory().noCards();
                    for (NoCards.Cause cause : NoCards.Cause.values()) {
                        callback.call(now != null && now.cause() == cause ? 1 : 0, cause.label());
                    }
                })
                .register(registry);
        CounterWithCallback.builder()
                .name("gpushare_card_xid_errors_total")
                .help("Xid errors since the plugin started; card and model are empty if the driver did not name the"
                        + " card.")
                .labelNames("card", "model", "xid", "remedy")
                .callback(callback -> counts.xids().forEach((xid, count) -> {
                    Optional<CardId> card = xid.card();
                    String model = card.flatMap(counts.snapshot().inventory()::card)
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
                "Evictions of pods that used more memory than they requested: evicted, refused or failed.",
                "outcome",
                counts::evictions,
                Function.identity());
        counter(
                "gpushare_plugin_container_starts_refused_total",
                "Starts of containers that were refused because their isolation was not in force; the kubelet retries.",
                counts::refusedStarts);
        counter(
                "gpushare_plugin_isolation_repairs_total",
                "What was done to keep isolation in force: limit_restored (the driver lost it), client_terminated (MPS:"
                        + " the newest process of a container over its limit).",
                "kind",
                counts::isolationRepairs,
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

    /** A kubelet call ended, by a response or a failure, after that time. */
    public void observe(Call call, long nanos) {
        seconds.labelValues(label(call)).observe(nanos / 1e9);
    }

    byte[] text() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(4096);
        try {
            PrometheusTextFormatWriter.create().write(bytes, registry.scrape());
        } catch (IOException e) {
            throw new UncheckedIOException("a write to memory can't fail", e);
        }
        return bytes.toByteArray();
    }
}
