package io.gpushare.extender.simulation;

import java.util.List;
import java.util.Locale;

/** What the policies came to, as a table for people. */
public final class Table {
    private Table() {}

    /**
     * One line a policy, each the mean over its seeds: per cent of capacity allocated when 100 % have arrived (if they
     * have) and at the end, its standard deviation, pods refused, and decisions that one core makes in a second.
     */
    public static String of(List<Result> results) {
        boolean full = results.stream().allMatch(result -> result.arrived() >= 100);
        StringBuilder text = new StringBuilder();
        line(
                text,
                "policy",
                full ? "at 100 %" : "",
                "at %d %%".formatted(results.getFirst().arrived()),
                "deviation",
                "refused",
                "decisions/s");
        for (Result result : results) {
            line(
                    text,
                    result.policy(),
                    full ? "%.2f".formatted(result.mean(curve -> curve.at(100))) : "",
                    "%.2f".formatted(result.end()),
                    "%.2f".formatted(result.deviation(Curve::end)),
                    "%.0f of %.0f".formatted(result.mean(Curve::refused), result.mean(Curve::pods)),
                    "%,.0f".formatted(result.mean(Curve::decisionsPerSecond)));
        }
        return text.toString();
    }

    private static void line(StringBuilder text, Object... values) {
        text.append(String.format(Locale.ROOT, "%-18s %9s %9s %10s %16s %12s%n", values));
    }
}
