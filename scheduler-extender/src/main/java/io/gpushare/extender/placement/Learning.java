package io.gpushare.extender.placement;

import java.util.function.BiFunction;

/**
 * A policy that thinks anew when the cluster has changed, and, if it learns from pods, when it has seen 1, 2, 4, 8 of
 * them, and from then on a quarter more than at the last time.
 */
final class Learning implements Policy {
    private final boolean fromPods;
    private final Seen seen = new Seen();
    private final BiFunction<Seen, Capacity, Scoring> think;
    private Capacity capacity;
    private Scoring scoring;
    private long pods;
    private long next = 1;

    Learning(boolean fromPods, Capacity capacity, BiFunction<Seen, Capacity, Scoring> think) {
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
    public void cluster(Capacity now) {
        if (!now.equals(capacity)) {
            capacity = now;
            scoring = think.apply(seen, now);
        }
    }
}
