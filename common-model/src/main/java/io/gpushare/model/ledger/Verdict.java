package io.gpushare.model.ledger;

import io.gpushare.model.Demand;
import org.jspecify.annotations.Nullable;

/**
 * What one card answers to a demand: it {@link Fits}, or the {@link Obstacle}. Both are constants, because filter asks
 * the cards of thousands of nodes; an obstacle computes its amount when that is read.
 */
public sealed interface Verdict permits Verdict.Fits, Obstacle {
    /** The card can take its part of the demand. */
    enum Fits implements Verdict {
        SHARED,
        WHOLE,
        /** It may be shared or taken whole; the demand has both. */
        EITHER
    }

    /** What the card answers. Where the demand has shares and whole cards, it takes part if it can give either. */
    static Verdict of(Demand demand, CardState card) {
        @Nullable Obstacle shared = demand.shares() ? Obstacle.ofShare(demand, card) : null;
        if (demand.wholeCards() == 0) {
            return shared == null ? Fits.SHARED : shared;
        }
        @Nullable Obstacle whole = Obstacle.ofWhole(demand, card);
        if (!demand.shares()) {
            return whole == null ? Fits.WHOLE : whole;
        }
        if (shared == null) {
            return whole == null ? Fits.EITHER : Fits.SHARED;
        }
        return whole == null ? Fits.WHOLE : shared.compareTo(whole) < 0 ? shared : whole;
    }

    /** Whether the card can take its part of the demand. */
    default boolean fits() {
        return this instanceof Fits;
    }
}
