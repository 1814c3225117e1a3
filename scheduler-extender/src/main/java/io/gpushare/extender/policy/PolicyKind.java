package io.gpushare.extender.policy;

import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.scoring.Binpack;
import io.gpushare.extender.policy.scoring.DemandHistory;
import io.gpushare.extender.policy.scoring.Fgd;
import io.gpushare.extender.policy.scoring.Fullness;
import io.gpushare.extender.policy.scoring.RandomPolicy;
import io.gpushare.extender.policy.scoring.Scoring;
import io.gpushare.extender.policy.scoring.Wsp;
import io.gpushare.extender.policy.scoring.WspFgd;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The policies that there are. */
public enum PolicyKind {
    /** Any place: what the others are measured against. */
    RANDOM(false, false),
    /** The node with the least cpu and GPU left; on it the card with the least left. */
    BESTFIT(false, false),
    /** What is begun is filled before anything fresh is opened: {@link Binpack}. */
    BINPACK(false, true),
    /** The node with the most left; on it the card with the most left. */
    SPREAD(false, true),
    /** Fragmentation Gradient Descent, as published. */
    FGD(true, true),
    /** Waste, stranding, price: the least that nobody will be able to use. */
    WSP(true, true),
    /** The same with a part of FGD, for jobs of many whole cards that come and go: {@link WspFgd}. */
    WSP_FGD(true, true);

    private final boolean learns;
    private final boolean offered;

    PolicyKind(boolean learns, boolean offered) {
        this.learns = learns;
        this.offered = offered;
    }

    /** Those that a cluster may be run with; the others are there to compare with. */
    public static List<PolicyKind> offered() {
        return Stream.of(values()).filter(kind -> kind.offered).toList();
    }

    /** Reads one that is {@link #offered}; empty for any other text. */
    public static Optional<PolicyKind> parse(String text) {
        return offered().stream().filter(kind -> kind.toString().equals(text)).findFirst();
    }

    /** Whether it is another policy once it knows which pods come. */
    public boolean learns() {
        return learns;
    }

    /** As it is before the first pod; it learns from those that come. The seed is for random only. */
    public Policy fromNothing(ClusterCapacity capacity, long seed) {
        return this == RANDOM ? new RandomPolicy(seed) : new LearningPolicy(learns, capacity, this::think);
    }

    /** As it is when it knows beforehand which pods will come, in whatever order; it learns no more. */
    public Policy told(ClusterCapacity capacity, long seed, Collection<PodRequest> pods) {
        if (!learns) {
            return fromNothing(capacity, seed);
        }
        DemandHistory seen = new DemandHistory();
        pods.forEach(seen::add);
        return Policy.fixed(think(seen, capacity));
    }

    private Scoring think(DemandHistory seen, ClusterCapacity capacity) {
        return switch (this) {
            case BESTFIT -> Fullness.bestFit(capacity);
            case BINPACK -> new Binpack();
            case SPREAD -> Fullness.spread(capacity);
            case FGD -> new Fgd(seen, capacity);
            case WSP -> new Wsp(seen, capacity);
            case WSP_FGD -> new WspFgd(new Wsp(seen, capacity), Fgd.byUnits(seen, capacity));
            case RANDOM -> throw new IllegalStateException("random thinks nothing");
        };
    }

    /** The name as users write it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
