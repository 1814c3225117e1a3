package io.gpushare.extender.simulation;

import java.util.List;
import java.util.Locale;

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
        return text.toString();
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would need one more library
    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private static void line(StringBuilder text, Object... values) {
        text.append(text("%-18s %9s %9s %10s %16s %12s%n", values));
    }
}
