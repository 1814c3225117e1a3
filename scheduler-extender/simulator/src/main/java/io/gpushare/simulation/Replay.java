package io.gpushare.simulation;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.simulation.trace.GpuWork;
import io.gpushare.simulation.trace.PodClass;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/** One run: pods arrive one by one and are placed or refused for good; none ends. */
final class Replay {
    private final GpuWork work;
    private final LongSupplier nanos;

    // The clock measures the decisions.
    Replay(GpuWork work, LongSupplier nanos) {
        this.work = work;
        this.nanos = nanos;
    }

    Curve run(List<PodRequest> pods, Placer placer) {
        List<Double> curve = new ArrayList<>();
        double arrived = 0;
        double allocated = 0;
        Map<PodClass, Integer> refused = new EnumMap<>(PodClass.class);
        long begin = nanos.getAsLong();
        for (PodRequest pod : pods) {
            OptionalLong units = placer.place(pod);
            if (units.isPresent()) {
                allocated += units.getAsLong();
            } else {
                refused.merge(PodClass.of(pod, work.cardUnits()), 1, Integer::sum);
            }
            double now = arrived + work.percent(pod);
            for (int passed = curve.size(); passed <= now; passed++) {
                curve.add(work.percent(allocated));
            }
            arrived = now;
        }
        long took = nanos.getAsLong() - begin;
        curve.add(work.percent(allocated));
        return new Curve(
                curve.stream().mapToDouble(Double::doubleValue).toArray(), arrived, pods.size(), refused, took);
    }
}
