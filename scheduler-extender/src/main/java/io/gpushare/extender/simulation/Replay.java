package io.gpushare.extender.simulation;

import io.gpushare.extender.placement.Chooser;
import io.gpushare.extender.placement.NodeRoom;
import io.gpushare.extender.placement.PodRequest;
import io.gpushare.extender.placement.Policy;
import io.gpushare.extender.placement.Way;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/** One run: pods come one by one, are placed or refused for ever, and none leaves. */
final class Replay {
    private final Work work;
    private final LongSupplier nanos;

    // The clock is for what decisions take.
    Replay(Work work, LongSupplier nanos) {
        this.work = work;
        this.nanos = nanos;
    }

    Curve run(List<NodeRoom> nodes, List<PodRequest> pods, Policy policy) {
        Chooser chooser = new Chooser(nodes);
        List<Double> curve = new ArrayList<>();
        double arrived = 0;
        double allocated = 0;
        int refused = 0;
        long begin = nanos.getAsLong();
        for (PodRequest pod : pods) {
            policy.arrived(pod);
            Optional<Way> way = chooser.choose(policy.scoring(), pod);
            if (way.isPresent()) {
                chooser.changed(way.get().after());
                allocated += way.get().units();
            } else {
                refused++;
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
