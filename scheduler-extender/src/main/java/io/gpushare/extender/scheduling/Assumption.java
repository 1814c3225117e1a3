package io.gpushare.extender.scheduling;

import io.gpushare.model.Inventory;

/** What came of the attempt to reserve cards for a pod. */
sealed interface Assumption {
    /** Reserved now, or by an earlier attempt of which nobody knows whether it came true. */
    record Assumed(Hold hold, Inventory inventory) implements Assumption {}

    /** The pod is bound already, there. */
    record Bound(Hold hold) implements Assumption {}

    record Refused(Reason why) implements Assumption {}
}
