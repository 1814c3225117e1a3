package io.gpushare.simulation;

import io.gpushare.simulation.trace.PodClass;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The replays of one policy, one for each seed. */
public record Result(String policy, List<Curve> curves) {
    public Result {
        curves = List.copyOf(curves);
        if (curves.isEmpty()) {
            throw new IllegalArgumentException("a result has at least one replay");
        }
    }

    /** Mean per cent of capacity that is allocated when all pods have arrived. */
    public double end() {
        return mean(Curve::end);
    }

    double mean(ToDoubleFunction<Curve> of) {
        return curves.stream().mapToDouble(of).average().orElseThrow();
    }

    /** The mean number of refused pods of that class. */
    double refused(PodClass of) {
        return mean(curve -> curve.refusedByClass().getOrDefault(of, 0));
    }

    /** Standard deviation over the seeds; 0 with one seed. */
    double deviation(ToDoubleFunction<Curve> of) {
        double mean = mean(of);
        double squares = curves.stream()
                .mapToDouble(of)
                .map(each -> (each - mean) * (each - mean))
                .sum();
        return curves.size() == 1 ? 0 : Math.sqrt(squares / (curves.size() - 1));
    }

    /** Per cent of capacity that has arrived in every replay, up to which they are comparable. */
    int arrived() {
        return (int) curves.stream().mapToDouble(Curve::arrived).min().orElseThrow();
    }
}
