package io.gpushare.model.ledger;

import io.gpushare.model.Allocation;

/** A decision: these cards, or why none. */
public sealed interface Placement {
    record Placed(Allocation allocation) implements Placement {}

    record Refused(Refusal why) implements Placement {}
}
