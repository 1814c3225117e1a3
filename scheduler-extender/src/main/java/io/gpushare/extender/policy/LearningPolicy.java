package io.gpushare.extender.policy;

import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.scoring.DemandHistory;
import io.gpushare.extender.policy.scoring.Scoring;
import java.util.function.BiFunction;

/**
 * A policy that makes a new scoring when it is asked for one after the cluster has changed and, if it learns from pods,
 * after 1, 2, 4 and 8 of them, and from then on after a quarter more than the last time.
 */
final class LearningPolicy implements Policy {
    private final boolean fromPods;
    private final DemandHistory history = new DemandHistory();
    private final BiFunction<DemandHistory, ClusterCapacity, Scoring> make;
    private ClusterCapacity capacity;
    private Scoring scoring;
    // Whether the scoring is for other cards: nobody may ever ask for it, and to make one takes long.
    private boolean outdated;
    private long pods;
    private long next = 1;

    LearningPolicy(
            boolean fromPods, ClusterCapacity capacity, BiFunction<DemandHistory, ClusterCapacity, Scoring> make) {
        this.fromPods = fromPods;
        this.capacity = capacity;
        this.make = make;
        this.scoring = make.apply(history, capacity);
    }

    @Override
    public Scoring scoring() {
        if (outdated) {
            make();
        }
        return scoring;
    }

    private void make() {
        outdated = false;
        scoring = make.apply(history, capacity);
    }

    @Override
    public void arrived(PodRequest pod) {
        if (!fromPods) {
            return;
        }
        history.add(pod);
        pods++;
        if (pods >= next) {
            make();
            next = pods < 8 ? pods * 2 : pods + (pods + 3) / 4;
        }
    }

    @Override
    public void cluster(ClusterCapacity now) {
        if (!now.equals(capacity)) {
            capacity = now;
            outdated = true;
        }
    }
}
