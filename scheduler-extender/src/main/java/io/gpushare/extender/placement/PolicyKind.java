package io.gpushare.extender.placement;

import java.util.Collection;

/** The policies that there are. */
public enum PolicyKind {
    /** Any place: what the others are measured against. */
    RANDOM(false),
    /** The node with the least left; on it the card with the least left. */
    BESTFIT(false),
    /** The node with the most left; on it the card with the most left. */
    SPREAD(false),
    /** Fragmentation Gradient Descent, as published. */
    FGD(true),
    /** Waste, stranding, price: the least that nobody will be able to use. */
    WSP(true);

    private final boolean learns;

    PolicyKind(boolean learns) {
        this.learns = learns;
    }

    /** Whether it is another policy once it knows which pods come. */
    public boolean learns() {
        return learns;
    }

    /** As it is before the first pod; it learns from those that come. The seed is for random only. */
    public Policy fromNothing(Capacity capacity, long seed) {
        return switch (this) {
            case RANDOM -> new RandomPolicy(seed);
            case BESTFIT -> Policy.fixed(Fullness.bestFit(capacity));
            case SPREAD -> Policy.fixed(Fullness.spread(capacity));
            case FGD, WSP -> new Learning(new Seen(capacity), seen -> think(seen, capacity));
        };
    }

    /** As it is when it knows beforehand which pods will come, in whatever order; it learns no more. */
    public Policy told(Capacity capacity, long seed, Collection<PodRequest> pods) {
        if (!learns) {
            return fromNothing(capacity, seed);
        }
        Seen seen = new Seen(capacity);
        pods.forEach(seen::add);
        return Policy.fixed(think(seen, capacity));
    }

    private Scoring think(Seen seen, Capacity capacity) {
        return switch (this) {
            case FGD -> new Fgd(seen, capacity);
            case WSP -> new Wsp(seen, capacity);
            case RANDOM, BESTFIT, SPREAD -> throw new IllegalStateException(this + " learns nothing");
        };
    }
}
