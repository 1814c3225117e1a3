package io.gpushare.extender.policy.scoring;

import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.FreeCard;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.Policy;

/** Any node where the pod fits, each as likely, then any of its cards; the same again for the same seed. */
public final class RandomPolicy implements Policy {
    private final long seed;
    private long pods;
    private Scoring scoring;

    public RandomPolicy(long seed) {
        this.seed = seed;
        this.scoring = draw(seed);
    }

    @Override
    public Scoring scoring() {
        return scoring;
    }

    @Override
    public void arrived(PodRequest pod) {
        pods++;
        scoring = draw(NameHash.of(seed, pods));
    }

    @Override
    public void cluster(ClusterCapacity capacity) {}

    private static Scoring draw(long number) {
        return way -> {
            long node = NameHash.of(way.node().order(), number);
            FreeCard shared = way.shared();
            int card = shared == null ? 0 : shared.index();
            // The node in whole numbers, the card in the fraction.
            return (node >>> 32) + (NameHash.of(node, card) >>> 40) * 0x1p-24;
        };
    }
}
