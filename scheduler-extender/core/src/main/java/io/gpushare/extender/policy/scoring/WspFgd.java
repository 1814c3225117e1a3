package io.gpushare.extender.policy.scoring;

/**
 * WSP with a small part of FGD, for clusters where jobs of many whole cards come and go: WSP rates each card alone, FGD
 * how many whole cards are left together. The part costs little where pods stay.
 */
public record WspFgd(Wsp wsp, Fgd fgd) implements Scoring {
    /** The weight of a unit of FGD against one of WSP. */
    private static final double PART = 0.1;

    @Override
    public double cost(CardChoice choice) {
        return wsp.cost(choice) + PART * fgd.growth(choice);
    }
}
