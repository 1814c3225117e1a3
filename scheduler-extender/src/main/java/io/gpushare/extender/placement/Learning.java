package io.gpushare.extender.placement;

import java.util.function.Function;

/** A policy that thinks anew when it has seen 1, 2, 4, 8 pods, and from then on a quarter more than at the last time. */
final class Learning implements Policy {
    private final Seen seen;
    private final Function<Seen, Scoring> think;
    private Scoring scoring;
    private long pods;
    private long next = 1;

    Learning(Seen seen, Function<Seen, Scoring> think) {
        this.seen = seen;
        this.think = think;
        this.scoring = think.apply(seen);
    }

    @Override
    public Scoring scoring() {
        return scoring;
    }

    @Override
    public void arrived(PodRequest pod) {
        seen.add(pod);
        pods++;
        if (pods >= next) {
            scoring = think.apply(seen);
            next = pods < 8 ? pods * 2 : pods + (pods + 3) / 4;
        }
    }
}
