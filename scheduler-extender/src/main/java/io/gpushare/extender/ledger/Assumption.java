package io.gpushare.extender.ledger;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.model.card.Inventory;

/** What came of the attempt to reserve cards for a pod. */
public sealed interface Assumption {
    /** Reserved now, or by an earlier attempt of which nobody knows whether it came true. */
    record Assumed(Holding hold, Inventory inventory) implements Assumption {}

    /** The pod is bound already, there. */
    record Bound(Holding hold) implements Assumption {}

    record Refused(Reason why) implements Assumption {}
}
