package io.gpushare.extender.policy.scoring;

import io.gpushare.extender.capacity.Candidate;

/**
 * WSP with a little of FGD, for clusters where jobs of many whole cards come and go: WSP looks at each card for itself,
 * FGD at how many whole ones are left together. It costs little where pods stay.
 */
public record WspFgd(Wsp wsp, Fgd fgd) implements Scoring {
    /** How much a unit of FGD's counts beside one of WSP's. */
    private static final double PART = 0.1;

    @Override
    public double cost(Candidate way) {
        return wsp.cost(way) + PART * fgd.growth(way);
    }
}
