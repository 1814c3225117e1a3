package io.gpushare.extender.capacity;

import io.gpushare.model.card.Share;

/** Free cards for tests. */
public final class TestCards {
    private TestCards() {}

    /** A card with that many free units; unused if these are all of its units. */
    public static FreeCard card(int index, CardKind kind, int freeUnits) {
        return freeUnits == kind.units()
                ? FreeCard.unused(index, kind)
                : new FreeCard(index, kind, Share.memory(freeUnits));
    }
}
