package io.gpushare.extender.placement;

/** Any node where the pod fits, each as likely, then any of its cards; the same again for the same seed. */
final class RandomPolicy implements Policy {
    private final long seed;
    private long pods;
    private Scoring scoring;

    RandomPolicy(long seed) {
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
        scoring = draw(Mixing.of(seed, pods));
    }

    @Override
    public void cluster(Capacity capacity) {}

    private static Scoring draw(long number) {
        return way -> {
            long node = Mixing.of(way.node().order(), number);
            CardRoom shared = way.shared();
            int card = shared == null ? 0 : shared.index();
            // The node in whole numbers, the card in the fraction.
            return (node >>> 32) + (Mixing.of(node, card) >>> 40) * 0x1p-24;
        };
    }
}
