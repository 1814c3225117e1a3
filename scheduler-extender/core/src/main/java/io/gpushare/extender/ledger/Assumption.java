package io.gpushare.extender.ledger;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.model.card.Inventory;

/** The outcome of an attempt to reserve cards for a pod. */
public sealed interface Assumption {
    /** The cards are reserved, now or by an earlier attempt with an unknown outcome. */
    record Assumed(Holding holding, Inventory inventory) implements Assumption {}

    /** The pod is already bound, to these cards. */
    record Bound(Holding holding) implements Assumption {}

    /** No cards were reserved. */
    record Refused(Reason why) implements Assumption {}
}
