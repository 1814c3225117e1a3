package io.gpushare.insight.usage;

import io.gpushare.insight.waste.CardFigure;
import io.gpushare.insight.waste.CardUsage.CardUse;
import io.gpushare.insight.waste.CardUsage.NodeUse;
import io.gpushare.insight.waste.CardUsage.Part;
import io.gpushare.insight.waste.CardUsage.PodUse;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Parses usage from a device plugin's metrics in Prometheus' text format
 * (deploy/docs/reference/metrics-device-plugin.md). A sample that is malformed, or that no card can have, is ignored:
 * its value is unknown.
 */
final class PluginMetricsParser {
    /** Possessive: nothing that a plugin reports makes it go back, or deep. */
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_]\\w*+)=\"((?:[^\"\\\\]++|\\\\.)*+)\",?");
    // The largest value of each metric.
    private static final long BYTES = (1L << 50) - 1;
    private static final long SECONDS = (1L << 50) - 1;
    private static final long RATIO = 1;
    private static final Map<String, CardFigure> FIGURES =
            Arrays.stream(CardFigure.values()).collect(Collectors.toMap(CardFigure::metric, Function.identity()));

    private final Map<String, Map<CardFigure, Long>> cards = new HashMap<>();
    private final Map<Container, PodUse> containers = new HashMap<>();

    private record Container(Part part, String name) {}

    private PluginMetricsParser() {}

    static NodeUse read(String text) {
        PluginMetricsParser parser = new PluginMetricsParser();
        text.lines().forEach(parser::line);
        Map<String, CardUse> cards = new HashMap<>();
        parser.cards.forEach((card, figures) -> cards.put(card, new CardUse(figures)));
        return new NodeUse(cards, parser.pods());
    }

    private Map<Part, PodUse> pods() {
        Map<Part, PodUse> pods = new HashMap<>();
        containers.forEach((container, use) -> pods.merge(container.part(), use, PluginMetricsParser::together));
        pods.values().removeIf(PodUse.UNKNOWN::equals);
        return pods;
    }

    private void line(String line) {
        int labels = line.indexOf('{');
        String metric = labels < 0 ? "" : line.substring(0, labels);
        @Nullable CardFigure figure = FIGURES.get(metric);
        if (figure != null) {
            card(line, figure);
        }
        switch (metric) {
            case "gpushare_container_memory_allocated_bytes" -> pod(line, BYTES, _ -> PodUse.UNKNOWN);
            case "gpushare_container_memory_used_bytes" ->
                pod(line, BYTES, bytes -> new PodUse((long) bytes, null, null));
            case "gpushare_container_utilisation_ratio" ->
                pod(line, RATIO, ratio -> new PodUse(null, percent(ratio), null));
            case "gpushare_container_idle_seconds" ->
                pod(line, SECONDS, seconds -> new PodUse(null, null, (long) seconds));
            default -> {}
        }
    }

    private static int round(double value) {
        return (int) Math.round(value);
    }

    private static int percent(double ratio) {
        return round(100 * ratio);
    }

    private interface Sample<U> {
        U of(double value);
    }

    private void card(String line, CardFigure figure) {
        sample(
                line,
                figure.most(),
                (labels, value) -> cards.computeIfAbsent(label(labels, "card"), _ -> new EnumMap<>(CardFigure.class))
                        .merge(
                                figure,
                                figure.of(value),
                                figure == CardFigure.USED_BYTES ? PluginMetricsParser::bytes : Math::max));
    }

    private void pod(String line, long most, Sample<PodUse> sample) {
        sample(
                line,
                most,
                (labels, value) -> containers.merge(
                        new Container(
                                new Part(label(labels, "card"), label(labels, "namespace"), label(labels, "pod")),
                                label(labels, "container")),
                        sample.of(value),
                        PluginMetricsParser::both));
    }

    private static PodUse both(PodUse one, PodUse other) {
        return new PodUse(
                both(one.usedBytes(), other.usedBytes(), Math::max),
                both(one.utilizationPercent(), other.utilizationPercent(), Math::max),
                both(one.idleSeconds(), other.idleSeconds(), Math::min));
    }

    /**
     * A pod uses what its containers use together, and is as idle as the least idle of them; what is unknown of one is
     * unknown of the pod.
     */
    private static PodUse together(PodUse one, PodUse other) {
        return new PodUse(
                known(one.usedBytes(), other.usedBytes(), PluginMetricsParser::bytes),
                known(one.utilizationPercent(), other.utilizationPercent(), (a, b) -> Math.min(100, a + b)),
                known(one.idleSeconds(), other.idleSeconds(), Math::min));
    }

    private static <T> @Nullable T known(@Nullable T one, @Nullable T other, BinaryOperator<T> of) {
        return one == null || other == null ? null : of.apply(one, other);
    }

    private static <T> @Nullable T both(@Nullable T one, @Nullable T other, BinaryOperator<T> of) {
        return one == null ? other : other == null ? one : of.apply(one, other);
    }

    private static long bytes(long one, long other) {
        return Math.min(BYTES, one + other);
    }

    private interface Labelled {
        void take(Map<String, String> labels, double value);
    }

    private static void sample(String line, long most, Labelled then) {
        Map<String, String> labels = new HashMap<>();
        Matcher label = LABEL.matcher(line);
        int at = line.indexOf('{') + 1;
        while (label.find(at) && label.start() == at) {
            labels.put(label.group(1), label.group(2));
            at = label.end();
        }
        if (line.startsWith("} ", at)) {
            try {
                double value = Double.parseDouble(line.substring(at + 2).split(" ", 2)[0]);
                if (value >= 0 && value <= most) {
                    then.take(labels, value);
                }
            } catch (NumberFormatException e) {
                // Not a number: not a sample.
            }
        }
    }

    private static String label(Map<String, String> labels, String name) {
        @Nullable String value = labels.get(name);
        return value == null ? "" : value;
    }
}
