package io.gpushare.model;

import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.text.Printable;
import org.jspecify.annotations.Nullable;

/**
 * What one container requests.
 *
 * @param request the sum over all its cards: a part of cards that it shares, or whole cards, never both. A percentage
 *     of the memory in place of units is possible with slots only. MIG instances taken whole are alone
 * @param profile the profile of the instances; null where it is not known, or it takes none
 */
public record ContainerDemand(
        String name,
        ContainerRole role,
        Share request,
        @Nullable String profile) {
    public ContainerDemand {
        boolean memory = request.units() > 0 || request.part() > 0;
        if (((memory == request.takenWhole() > 0 || (!memory && request.hasPercents())) && !request.isSlots())
                || (request.instances() > 0 && request.wholeCards() > 0)) {
            throw new IllegalArgumentException(
                    "container " + Printable.quoted(name) + " must request memory units, whole cards or MIG instances");
        }
    }

    /** A request without a profile of instances. */
    public ContainerDemand(String name, ContainerRole role, Share request) {
        this(name, role, request, null);
    }

    /** What it requests of each card, if it gets that many. */
    public Share onEach(int cards) {
        if (request.instances() > 0) {
            return Share.INSTANCE;
        }
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
                                : request.withUnits(given.total().units()).without(ShareKind::fraction))
                        .equals(given.total())
                && (request.slots() == 0 || request.slots() == given.shares().size());
    }
}
