package io.gpushare.insight.usage;

import io.gpushare.insight.waste.CardFigure;
import io.gpushare.insight.waste.CardUsage.CardUse;
import io.gpushare.insight.waste.CardUsage.NodeUse;
import io.gpushare.insight.waste.CardUsage.Part;
import io.gpushare.insight.waste.CardUsage.PodUse;
import io.gpushare.insight.waste.ContainerFigure;
import io.gpushare.insight.waste.Measure;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
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
    // Each container has it, whatever is measured of it.
    private static final String ALLOCATED = "gpushare_container_memory_allocated_bytes";
    private static final Map<String, CardFigure> OF_CARDS = Arrays.stream(CardFigure.values())
            .collect(Collectors.toMap(figure -> figure.measure().metric(), Function.identity()));
    private static final Map<String, ContainerFigure> OF_CONTAINERS = Arrays.stream(ContainerFigure.values())
            .collect(Collectors.toMap(figure -> figure.measure().metric(), Function.identity()));

    private final Map<String, Map<CardFigure, Long>> cards = new HashMap<>();
    private final Map<Container, Map<ContainerFigure, Long>> containers = new HashMap<>();

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
        containers.forEach((container, figures) -> pods.merge(container.part(), new PodUse(figures), PodUse::plus));
        pods.values().removeIf(PodUse.UNKNOWN::equals);
        return pods;
    }

    private void line(String line) {
        int labels = line.indexOf('{');
        String metric = labels < 0 ? "" : line.substring(0, labels);
        @Nullable CardFigure ofCard = OF_CARDS.get(metric);
        @Nullable ContainerFigure ofContainer = OF_CONTAINERS.get(metric);
        if (ofCard != null) {
            card(line, ofCard);
        } else if (ofContainer != null) {
            sample(
                    line,
                    ofContainer.measure().mostSample(),
                    (of, value) -> container(of).merge(ofContainer, ofContainer.of(value), ofContainer::either));
        } else if (metric.equals(ALLOCATED)) {
            sample(line, Measure.MOST, (of, _) -> container(of));
        }
    }

    private void card(String line, CardFigure figure) {
        sample(
                line,
                figure.measure().mostSample(),
                (labels, value) -> cards.computeIfAbsent(label(labels, "card"), _ -> new EnumMap<>(CardFigure.class))
                        .merge(
                                figure,
                                figure.measure().of(value),
                                figure == CardFigure.USED_BYTES ? PluginMetricsParser::bytes : Math::max));
    }

    /** What is known of the container of these labels. */
    private Map<ContainerFigure, Long> container(Map<String, String> labels) {
        return containers.computeIfAbsent(
                new Container(
                        new Part(label(labels, "card"), label(labels, "namespace"), label(labels, "pod")),
                        label(labels, "container")),
                _ -> new EnumMap<>(ContainerFigure.class));
    }

    private static long bytes(long one, long other) {
        return Math.min(CardFigure.USED_BYTES.measure().most(), one + other);
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
