package io.gpushare.model.ledger;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.Share;
import java.util.Objects;

/**
 * One card of the inventory and what is allocated on it.
 *
 * @param capacity what the card has: its memory units and cores, or the whole card
 * @param allocated the sum over all holders. It exceeds the capacity, or has units and whole cards at once, only where
 *     an annotation or another program broke the rules
 */
public record CardState(Card card, Share capacity, Share allocated) {
    public CardState {
        Objects.requireNonNull(card);
        Objects.requireNonNull(capacity);
        Objects.requireNonNull(allocated);
    }

    CardState with(Share more) {
        return more.isNone() ? this : new CardState(card, capacity, allocated.plus(more));
    }

    /**
     * What new pods may have. A card taken whole has nothing free, a card with shares on it can't be taken whole, an
     * unhealthy or cordoned card accepts no new pods, one without the isolation that was asked for no memory pods, and
     * one whose isolation does not limit cores none that request cores.
     */
    public Share free() {
        if (!card.placeable() || takenWhole()) {
            return Share.NONE;
        }
        Share free = unused() ? capacity : capacity.minus(allocated).shared();
        if (!card.sharesMemory()) {
            return free.minus(free.shared());
        }
        return limitsCores() ? free : free.withoutCores();
    }

    /** Whether a container can have a part of the card's cores: they are offered, and its isolation limits them. */
    public boolean limitsCores() {
        return capacity.cores() > 0 && card.isolation().inForce().limitsCores();
    }

    /** Whether that share is free here. */
    public boolean offers(Share share) {
        return share.fits(free());
    }

    public boolean takenWhole() {
        return allocated.wholeCards() > 0;
    }

    /** Whether nothing is allocated here. The card may be unhealthy or cordoned. */
    public boolean unused() {
        return allocated.isNone();
    }

    /** Whether more is allocated than the card has, or shares and the whole card at once. */
    public boolean overCommitted() {
        return !allocated.fits(capacity) || (takenWhole() && !allocated.shared().isNone());
    }

    /** The part of the capacity that allocations withhold from new pods: all of it for a card taken whole. */
    public Share occupied() {
        return takenWhole() ? capacity : allocated;
    }
}
