package io.gpushare.model;

import io.gpushare.model.card.Share;
import io.gpushare.model.text.Printable;

/**
 * What one container requests.
 *
 * @param request the sum over all its cards: a part of cards that it shares, or whole cards, never both. A percentage
 *     of the memory in place of units is possible with slots only
 */
public record ContainerDemand(String name, ContainerRole role, Share request) {
    public ContainerDemand {
        boolean memory = request.units() > 0 || request.part() > 0;
        if ((memory == request.wholeCards() > 0 || (!memory && request.hasPercents())) && !request.isSlots()) {
            throw new IllegalArgumentException(
                    "container " + Printable.quoted(name) + " must request memory units or whole cards");
        }
    }

    /** What it requests of each card, if it gets that many. */
    public Share onEach(int cards) {
        return request.wholeCards() > 0
                ? request.slots() > 0 ? Share.SLOTTED_CARD : Share.WHOLE_CARD
                : request.dividedBy(cards);
    }

    /** Whether that allocation gives the container what it requests. */
    public boolean givenBy(ContainerAllocation given) {
        return name.equals(given.name())
                && role == given.role()
                && (request.part() == 0
                                ? request
                                : request.withUnits(given.total().units()).withoutPart())
                        .equals(given.total())
                && (request.slots() == 0 || request.slots() == given.shares().size());
    }
}
