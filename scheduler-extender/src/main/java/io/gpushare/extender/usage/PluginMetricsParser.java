package io.gpushare.extender.usage;

import io.gpushare.extender.waste.MemoryUsage.NodeUse;
import io.gpushare.extender.waste.MemoryUsage.Part;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses usage from a device plugin's metrics in Prometheus' text format (device-plugin/METRICS.md). */
final class PluginMetricsParser {
    private static final String CARD = "gpushare_card_memory_used_bytes{";
    private static final String CONTAINER = "gpushare_container_memory_used_bytes{";
    private static final String IDLE = "gpushare_container_idle_seconds{";
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_]\\w*)=\"((?:[^\"\\\\]|\\\\.)*)\",?");

    private PluginMetricsParser() {}

    static NodeUse read(String text) {
        Map<String, Long> cards = new HashMap<>();
        Map<Part, Long> pods = new HashMap<>();
        Map<Part, Long> idle = new HashMap<>();
        text.lines().forEach(line -> {
            if (line.startsWith(CARD)) {
                sample(line, CARD.length(), (labels, bytes) -> cards.merge(label(labels, "card"), bytes, Long::sum));
            } else if (line.startsWith(CONTAINER)) {
                sample(line, CONTAINER.length(), (labels, bytes) -> pods.merge(part(labels), bytes, Long::sum));
            } else if (line.startsWith(IDLE)) {
                // A pod is as idle as the least idle of its containers.
                sample(line, IDLE.length(), (labels, seconds) -> idle.merge(part(labels), seconds, Math::min));
            }
        });
        return new NodeUse(cards, pods, idle);
    }

    private static Part part(Map<String, String> labels) {
        return new Part(label(labels, "card"), label(labels, "namespace"), label(labels, "pod"));
    }

    private interface Sample {
        void take(Map<String, String> labels, long value);
    }

    /** Ignores lines of another form. */
    private static void sample(String line, int from, Sample then) {
        Map<String, String> labels = new HashMap<>();
        Matcher label = LABEL.matcher(line);
        int at = from;
        while (label.find(at) && label.start() == at) {
            labels.put(label.group(1), label.group(2));
            at = label.end();
        }
        if (line.startsWith("} ", at)) {
            try {
                double value = Double.parseDouble(line.substring(at + 2).split(" ", 2)[0]);
                if (value >= 0 && value < 1L << 50) {
                    then.take(labels, (long) value);
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
