package io.gpushare.extender.placement;

import io.gpushare.model.Demand;

/** A demand in the two numbers that decide whether a node can take it, summed once for all nodes. */
public record Ask(int units, int cards) {
    public Ask {
        if (units < 0 || cards < 0 || (units == 0 && cards == 0)) {
            throw new IllegalArgumentException("a demand asks for memory units or whole cards");
        }
    }

    public static Ask of(Demand demand) {
        return new Ask(demand.memoryUnits(), demand.cards());
    }
}
