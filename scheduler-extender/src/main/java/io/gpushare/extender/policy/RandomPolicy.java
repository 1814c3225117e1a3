package io.gpushare.extender.policy;

import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.FreeCard;
import io.gpushare.extender.capacity.NameHash;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.scoring.Scoring;

/** Any node that fits, with equal probability, then any of its cards; reproducible by the seed. */
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
        return candidate -> {
            long node = NameHash.of(candidate.node().order(), number);
            FreeCard shared = candidate.shared();
            int card = shared == null ? 0 : shared.index();
            // The whole number decides on the node, the fraction on the card.
            return (node >>> 32) + (NameHash.of(node, card) >>> 40) * 0x1p-24;
        };
    }
}
