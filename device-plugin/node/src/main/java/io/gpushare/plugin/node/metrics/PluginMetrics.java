package io.gpushare.plugin.node.metrics;

import io.gpushare.model.card.Card;
import io.gpushare.plugin.node.holdings.LatestHoldings;
import io.gpushare.plugin.node.isolation.IsolationProvider;
import io.gpushare.plugin.node.monitor.UsageMonitor;
import io.gpushare.time.Machine;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Every metric of the plugin, in Prometheus' text format. Their values are read at each scrape, by one thread at a
 * time.
 */
public final class PluginMetrics {
    /** Receives the series of a metric. */
    @FunctionalInterface
    public interface Series {
        /** One series: its value, and the values of its labels. */
        void call(double value, String... labels);

        /** One series whose first labels are the card and its model. */
        default void ofCard(double value, Card card, String... labels) {
            call(
                    value,
                    Stream.concat(Stream.of(card.id().uuid(), card.model()), Stream.of(labels))
                            .toArray(String[]::new));
        }
    }

    static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

    private static final String CALL_SECONDS = "gpushare_plugin_call_duration_seconds";
    private static final String BUILD = "gpushare_plugin_build_info";
    private static final Set<String> CALLS = Set.of("allocate", "get_preferred_allocation", "pre_start_container");

    private final PrometheusRegistry registry = new PrometheusRegistry();
    /** Ours first: the extender reads no more than the beginning of a page that is too long. */
    private final Map<String, Collector> collectors =
            new ConcurrentSkipListMap<>(Comparator.comparing((String name) -> !name.startsWith("gpushare_"))
                    .thenComparing(Comparator.naturalOrder()));

    private @Nullable MetricsPage last;
    private final Histogram seconds = Histogram.builder()
            .name(CALL_SECONDS)
            .help("Time to respond to a kubelet call; a slow response delays every pod of the node.")
            .labelNames("call")
            .classicOnly()
            .classicUpperBounds(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5)
            .build();

    /** Registers what the plugin measures itself: the version and the duration of calls. */
    public PluginMetrics(String version) {
        CALLS.forEach(seconds::initLabelValues);
        register(CALL_SECONDS, seconds);
        Info build = Info.builder()
                .name(BUILD)
                .help("The version of the program.")
                .labelNames("version")
                .build();
        build.setLabelValues(version);
        register(BUILD, build);
    }

    /** Registers the state and the usage of the node's cards and containers. */
    public void registerNode(LatestHoldings latest, UsageMonitor usage, IsolationProvider provider) {
        new CardMetrics(this, latest, usage).register(provider);
        new ContainerMetrics(this, latest, usage).register();
    }

    /** Registers the usage of that node's cards and containers under dcgm-exporter's names, too. */
    public void registerDcgm(LatestHoldings latest, UsageMonitor usage, String node) {
        new DcgmMetrics(this, latest, usage, node).register();
    }

    /** Registers a counter with one series. */
    public void counter(String name, String help, LongSupplier value) {
        counters(name, help, series -> series.call((double) value.getAsLong()));
    }

    /** Registers a counter with a series for each key; constants of an enum are in small letters. */
    public void counter(String name, String help, String label, Supplier<? extends Map<?, Long>> values) {
        counters(name, help, series -> values.get().forEach((key, count) -> series.call(count, text(key))), label);
    }

    private static String text(Object key) {
        return key instanceof Enum<?> constant ? constant.name().toLowerCase(Locale.ROOT) : key.toString();
    }

    /** Registers a counter with any series. */
    public void counters(String name, String help, Consumer<Series> values, String... labels) {
        register(
                name,
                CounterWithCallback.builder()
                        .name(name)
                        .help(help)
                        .labelNames(labels)
                        .callback(callback -> values.accept(once(callback::call)))
                        .build());
    }

    /** Registers a gauge with any series. */
    public void gauges(String name, String help, Consumer<Series> values, String... labels) {
        register(
                name,
                GaugeWithCallback.builder()
                        .name(name)
                        .help(help)
                        .labelNames(labels)
                        .callback(callback -> values.accept(once(callback::call)))
                        .build());
    }

    /** Leaves out what has the labels of a series before it: one of them would fail the page. */
    private static Series once(Series series) {
        Set<List<String>> written = new HashSet<>();
        return (value, labels) -> {
            if (written.add(List.of(labels))) {
                series.call(value, labels);
            }
        };
    }

    /** A kubelet call ended, by a response or a failure, after that time. */
    public void observe(String call, long nanos) {
        String label = call.replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
        if (CALLS.contains(label)) {
            seconds.labelValues(label).observe(nanos / 1e9);
        }
    }

    /**
     * The page for a request that came before this call: one is made at a time, and those who wait for it share it, if
     * it has no values from before they came.
     */
    MetricsPage page() {
        long requested = Machine.here().nanos();
        synchronized (registry) {
            MetricsPage page = last;
            if (page == null || !page.newerThan(requested)) {
                page = MetricsPage.of(this::write);
                last = page;
            }
            return page;
        }
    }

    /** One metric after the other: the series of one are many objects. */
    private void write(OutputStream page) throws IOException {
        for (Collector each : collectors.values()) {
            PrometheusTextFormatWriter.create().write(page, new MetricSnapshots(each.collect()));
        }
    }

    private void register(String name, Collector collector) {
        registry.register(collector);
        collectors.put(name, collector);
    }
}
