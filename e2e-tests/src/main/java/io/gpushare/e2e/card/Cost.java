package io.gpushare.e2e.card;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Work per second, by workload, as tenants report it: {@code <workload> <count> in <microseconds>}. */
record Cost(Map<String, Double> rates) {
    private static final Pattern LINE = Pattern.compile("(\\S+) (\\d+) in (\\d+)");

    Cost {
        rates = new TreeMap<>(rates);
    }

    static String seconds(long startNanos) {
        return String.format(Locale.ROOT, "%.2f s", (System.nanoTime() - startNanos) / 1e9);
    }

    /** Adds a tenant's line to the sums. */
    static void add(Map<String, Double> sums, String line) {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            throw new IllegalStateException("a tenant that measures printed: " + line);
        }
        double rate = Long.parseLong(matcher.group(2)) * 1e6 / Math.max(1, Long.parseLong(matcher.group(3)));
        sums.merge(matcher.group(1), rate, Double::sum);
    }

    /** Each rate as a part of that of the same workload alone. */
    String relativeTo(Cost alone) {
        StringBuilder text = new StringBuilder();
        rates.forEach((workload, rate) -> text.append(text.isEmpty() ? "" : ", ")
                .append(String.format(
                        Locale.ROOT,
                        "%s %.2f (%.0f/s)",
                        workload,
                        rate / alone.rates().getOrDefault(workload, Double.NaN),
                        rate)));
        return text.toString();
    }
}
