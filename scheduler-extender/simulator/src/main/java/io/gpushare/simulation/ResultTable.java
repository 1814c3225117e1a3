package io.gpushare.simulation;

import io.gpushare.simulation.trace.PodClass;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The results of the policies as a table for users. */
public final class ResultTable {
    private ResultTable() {}

    /**
     * One line per policy, the mean over its seeds: per cent of capacity allocated when 100 % have arrived (if they have)
     * and at the end, its standard deviation, pods refused, and decisions per second of one core.
     */
    public static String of(List<Result> results) {
        boolean full = results.stream().allMatch(result -> result.arrived() >= 100);
        StringBuilder text = new StringBuilder();
        line(
                text,
                "policy",
                full ? "at 100 %" : "",
                text("at %d %%", results.getFirst().arrived()),
                "deviation",
                "refused",
                "decisions/s");
        for (Result result : results) {
            line(
                    text,
                    result.policy(),
                    full ? text("%.2f", result.mean(curve -> curve.at(100))) : "",
                    text("%.2f", result.end()),
                    text("%.2f", result.deviation(Curve::end)),
                    text("%.0f of %.0f", result.mean(Curve::refused), result.mean(Curve::pods)),
                    text("%,.0f", result.mean(Curve::decisionsPerSecond)));
        }
        return text + refused(results);
    }

    /** The refused pods by class, if there are any. */
    private static String refused(List<Result> results) {
        List<PodClass> classes = Stream.of(PodClass.values())
                .filter(each -> results.stream().anyMatch(result -> result.refused(each) > 0))
                .toList();
        if (classes.isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder(text("%n%-26s", "refused by class"));
        classes.forEach(each -> text.append(text(" %12s", each)));
        for (Result result : results) {
            text.append(text("%n%-26s", result.policy()));
            classes.forEach(each -> text.append(text(" %12.1f", result.refused(each))));
        }
        return text.append(System.lineSeparator()).toString();
    }

    /** The same as JSON. */
    public static String json(List<Result> results) {
        return results.stream().map(ResultTable::json).collect(Collectors.joining(",", "{\"policies\":[", "]}"))
                + System.lineSeparator();
    }

    private static String json(Result result) {
        String refused = Stream.of(PodClass.values())
                .map(each -> text("\"%s\":%.1f", each.key(), result.refused(each)))
                .collect(Collectors.joining(",", "{", "}"));
        return text(
                "{\"policy\":\"%s\",\"arrived\":%d,\"allocated\":%.3f,\"deviation\":%.3f,\"pods\":%.1f,\"refused\":%s}",
                result.policy(),
                result.arrived(),
                result.end(),
                result.deviation(Curve::end),
                result.mean(Curve::pods),
                refused);
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would need one more library
    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private static void line(StringBuilder text, Object... values) {
        text.append(text("%-26s %9s %9s %10s %16s %12s%n", values));
    }
}
