package io.gpushare.extender.policy;

import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.scoring.DemandHistory;
import io.gpushare.extender.policy.scoring.Scoring;
import java.util.function.BiFunction;

/**
 * A policy that thinks anew when the cluster has changed, and, if it learns from pods, when it has seen 1, 2, 4, 8 of
 * them, and from then on a quarter more than at the last time.
 */
final class LearningPolicy implements Policy {
    private final boolean fromPods;
    private final DemandHistory seen = new DemandHistory();
    private final BiFunction<DemandHistory, ClusterCapacity, Scoring> think;
    private ClusterCapacity capacity;
    private Scoring scoring;
    private long pods;
    private long next = 1;

    LearningPolicy(
            boolean fromPods, ClusterCapacity capacity, BiFunction<DemandHistory, ClusterCapacity, Scoring> think) {
        this.fromPods = fromPods;
        this.capacity = capacity;
        this.think = think;
        this.scoring = think.apply(seen, capacity);
    }

    @Override
    public Scoring scoring() {
        return scoring;
    }

    @Override
    public void arrived(PodRequest pod) {
        if (!fromPods) {
            return;
        }
        seen.add(pod);
        pods++;
        if (pods >= next) {
            scoring = think.apply(seen, capacity);
            next = pods < 8 ? pods * 2 : pods + (pods + 3) / 4;
        }
    }

    @Override
    public void cluster(ClusterCapacity now) {
        if (!now.equals(capacity)) {
            capacity = now;
            scoring = think.apply(seen, now);
        }
    }
}
