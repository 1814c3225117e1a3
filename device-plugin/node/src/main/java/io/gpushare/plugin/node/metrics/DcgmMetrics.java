package io.gpushare.plugin.node.metrics;

import io.gpushare.model.card.Card;
import io.gpushare.plugin.node.holdings.LatestHoldings;
import io.gpushare.plugin.node.metrics.PluginMetrics.Series;
import io.gpushare.plugin.node.monitor.UsageMonitor;
import io.gpushare.plugin.node.usage.CardUtilization;
import io.gpushare.plugin.node.usage.ContainerShare;
import io.gpushare.plugin.node.usage.NodeUsage;
import io.gpushare.plugin.node.usage.NodeUsage.Measured;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * Usage under the names, units and labels of NVIDIA's dcgm-exporter, for the dashboards and rules that query these. Its
 * own series have the values of the whole card for each pod; these have what the container itself uses, and of its
 * memory what its share leaves. A card without containers has one series, of the card, and so have the temperature and
 * the power draw, which belong to no container.
 *
 * @param node its name
 * @see <a href="https://github.com/NVIDIA/dcgm-exporter/blob/main/etc/default-counters.csv">dcgm-exporter's metrics</a>
 */
record DcgmMetrics(PluginMetrics metrics, LatestHoldings latest, UsageMonitor monitor, String node) {
    private static final String[] LABELS = {
        "gpu", "UUID", "pci_bus_id", "device", "modelName", "Hostname", "namespace", "pod", "container"
    };

    private static final double MIB = 1 << 20;
    private static final double MILLI = 1000;
    /** NVML writes the domain of an address with eight digits, Linux with four. */
    private static final String NVML_DOMAIN = "0000";

    void register() {
        ofContainers(
                "DCGM_FI_DEV_FB_USED",
                "Memory in use, in MiB.",
                used -> used.bytes().stream().mapToDouble(bytes -> bytes / MIB),
                card -> card.memoryUsedBytes().stream().mapToDouble(bytes -> bytes / MIB));
        metrics.gauges(
                "DCGM_FI_DEV_FB_FREE",
                "Memory of the container's share, or of a card without containers, that is not in use, in MiB.",
                this::free,
                LABELS);
        ofContainers(
                "DCGM_FI_DEV_GPU_UTIL",
                "Percent of time in which the container's processes, or a card without containers, compute.",
                used -> used.percent().stream().asDoubleStream(),
                card -> card.gpuUtilization().stream().asDoubleStream());
        ofCards(
                "DCGM_FI_DEV_GPU_TEMP",
                "Temperature of the chip in degrees Celsius.",
                card -> card.temperatureCelsius().stream().asDoubleStream());
        ofCards(
                "DCGM_FI_DEV_POWER_USAGE",
                "Power draw of the board in watts.",
                card -> card.powerMilliwatts().stream().mapToDouble(milliwatts -> milliwatts / MILLI));
    }

    private List<ContainerShare> shares() {
        return ContainerShare.of(latest.now()).stream()
                .limit(ContainerMetrics.MOST)
                .toList();
    }

    private void ofContainers(
            String name,
            String help,
            Function<Measured, DoubleStream> ofContainer,
            Function<CardUtilization, DoubleStream> ofCard) {
        metrics.gauges(
                name,
                help,
                series -> {
                    List<ContainerShare> shares = shares();
                    shares.forEach(share -> monitor.now().of(share).stream()
                            .flatMapToDouble(ofContainer)
                            .forEach(value -> write(series, value, share)));
                    unused(shares)
                            .forEach(card -> usage(card).stream()
                                    .flatMapToDouble(ofCard)
                                    .forEach(value -> write(series, value, card)));
                },
                LABELS);
    }

    private void free(Series series) {
        List<ContainerShare> shares = shares();
        NodeUsage usage = monitor.now();
        for (ContainerShare share : shares) {
            if (share.card().hasMemory() && usage.of(share).isPresent()) {
                usage.together(share)
                        .bytes()
                        .ifPresent(used -> write(series, mib(share.memory().bytes() - used), share));
            }
        }
        for (Card card : unused(shares)) {
            if (card.hasMemory()) {
                long offered = card.memory().bytes() - card.details().reserved().bytes();
                usage(card).stream()
                        .flatMapToLong(now -> now.memoryUsedBytes().stream())
                        .forEach(used -> write(series, mib(offered - used), card));
            }
        }
    }

    private static double mib(long bytes) {
        return Math.max(0, bytes) / MIB;
    }

    private void ofCards(String name, String help, Function<CardUtilization, DoubleStream> value) {
        metrics.gauges(
                name,
                help,
                series -> latest.now()
                        .inventory()
                        .cards()
                        .forEach(card -> usage(card).stream()
                                .flatMapToDouble(value)
                                .forEach(number -> write(series, number, card))),
                LABELS);
    }

    private List<Card> unused(List<ContainerShare> shares) {
        Set<Object> used = shares.stream().map(share -> share.card().id()).collect(Collectors.toSet());
        return latest.now().inventory().cards().stream()
                .filter(card -> !used.contains(card.id()))
                .toList();
    }

    private Optional<CardUtilization> usage(Card card) {
        return Optional.ofNullable(monitor.now().reported().cards().get(card.id()));
    }

    private void write(Series series, double value, ContainerShare share) {
        write(series, value, share.card(), share.pod().namespace(), share.pod().name(), share.container());
    }

    private void write(Series series, double value, Card card) {
        write(series, value, card, "", "", "");
    }

    private void write(Series series, double value, Card card, String namespace, String pod, String container) {
        @Nullable Integer minor = card.minor();
        @Nullable String address = card.details().pciAddress();
        series.call(
                value,
                String.valueOf(card.index()),
                card.id().uuid(),
                address == null ? "" : NVML_DOMAIN + address.toUpperCase(Locale.ROOT),
                minor == null ? "" : "nvidia" + minor,
                card.model(),
                node,
                namespace,
                pod,
                container);
    }
}
