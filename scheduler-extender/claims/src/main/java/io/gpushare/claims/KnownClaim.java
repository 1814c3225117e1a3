package io.gpushare.claims;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.claims.ClaimState;
import io.gpushare.model.claims.ResourceClaim;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A claim, with what its requests and results say of cards: read once, and again only for another inventory of its node
 * or another unit. Thousands of pods may name it.
 */
final class KnownClaim {
    private final ClaimState state;
    private @Nullable ClaimedCards on;
    private List<ContainerAllocation> cards = List.of();
    private @Nullable MemoryUnit unit;
    private RequestedCards.OfClaim requested = RequestedCards.OfClaim.NONE;

    KnownClaim(ClaimState state) {
        this.state = state;
    }

    ClaimState state() {
        return state;
    }

    ResourceClaim claim() {
        return state.claim();
    }

    /** Whether it has cards. */
    boolean allocated() {
        return !claim().results().isEmpty();
    }

    /** The node of its cards. */
    Optional<String> node() {
        return claim().results().stream().map(ResourceClaim.Result::pool).findFirst();
    }

    /** What it has of these cards. */
    List<ContainerAllocation> cards(ClaimedCards now) {
        if (!now.equals(on)) {
            on = now;
            cards = now.containers(claim());
        }
        return cards;
    }

    /** What it requests, in that unit. */
    RequestedCards.OfClaim requested(MemoryUnit now) {
        if (!now.equals(unit)) {
            unit = now;
            requested = RequestedCards.OfClaim.of(state, now);
        }
        return requested;
    }
}
