package io.gpushare.extender.policy.scoring;

import io.gpushare.extender.pod.PolicyKind;

/** The scorings of the policies. */
public final class Scorings {
    private Scorings() {}

    /** What it costs to place a pod, by these pods and cards. The adaptive policy has the scoring of another one. */
    public static Scoring of(PolicyKind kind, DemandHistory history, ClusterCapacity capacity) {
        return switch (kind) {
            case BESTFIT -> Fullness.bestFit(capacity);
            case BINPACK -> new Binpack();
            case SPREAD -> Fullness.spread(capacity);
            case FGD -> new Fgd(history, capacity);
            case WSP -> new Wsp(history, capacity);
            case WSP_FGD -> new WspFgd(new Wsp(history, capacity), Fgd.byUnits(history, capacity));
            case WSP_KEEP -> new WspKeep(history, capacity);
            case ADAPTIVE -> throw new IllegalStateException(kind + " has no scoring of its own");
        };
    }
}
