package io.gpushare.model.ledger;

import io.gpushare.model.Allocation;

/** A placement decision: the cards, or why none fit. */
public sealed interface Placement {
    record Placed(Allocation allocation) implements Placement {}

    record Refused(Refusal reason) implements Placement {}
}
