package io.gpushare.insight.view;

import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.ledger.CardState;
import org.jspecify.annotations.Nullable;

/**
 * What is unusual about a card.
 *
 * @param whole whether it is taken whole
 * @param unhealthy why; null if it is healthy
 * @param held whether it is held while pods are moved away
 * @param inUseBy who has it by another offer than its node's; null if nobody has
 * @param taint what DeviceTaintRules write on it, with their names; null for nothing
 * @param foreignBytes the memory that processes use there to which nothing of it is allocated; null for none
 * @param isolation what is in force; null for none
 * @param isolationMissing why what was asked for is not in force; null if nothing is missing
 * @param memoryClosed whether it therefore offers no memory
 * @param allocatedCoresPercent null where cores are not limited
 * @param overAllocated whether more is allocated than the card has
 */
public record CardStates(
        boolean whole,
        @Nullable String unhealthy,
        boolean cordoned,
        boolean held,
        @Nullable String inUseBy,
        @Nullable String taint,
        @Nullable Long foreignBytes,
        @Nullable String isolation,
        @Nullable String isolationMissing,
        boolean memoryClosed,
        @Nullable Integer allocatedCoresPercent,
        boolean overAllocated) {
    static CardStates of(CardState state) {
        CardIsolation isolation = state.card().isolation();
        Isolation inForce = state.occupied().instances() > 0 ? Isolation.MIG : isolation.inForce();
        return new CardStates(
                state.takenWhole(),
                state.card().health() instanceof Health.Unhealthy(String reason) ? reason : null,
                state.card().cordoned(),
                state.card().held(),
                state.card().inUseBy(),
                state.card().taint(),
                state.card().foreign().bytes() > 0 ? state.card().foreign().bytes() : null,
                inForce == Isolation.NONE ? null : inForce.toString(),
                isolation.missing().isEmpty() ? null : isolation.missing(),
                isolation.closed(),
                state.limits(ShareKind.CORES) ? state.occupied().cores() : null,
                state.overCommitted());
    }
}
