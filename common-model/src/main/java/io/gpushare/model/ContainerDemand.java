package io.gpushare.model;

import io.gpushare.model.card.Share;
import io.gpushare.model.text.Printable;

/**
 * What one container requests.
 *
 * @param request the sum over all its cards: a part of cards that it shares, or whole cards, never both
 */
public record ContainerDemand(String name, ContainerRole role, Share request) {
    public ContainerDemand {
        if ((request.units() == 0) == (request.wholeCards() == 0) || (request.units() == 0 && request.hasPercents())) {
            throw new IllegalArgumentException(
                    "container " + Printable.quoted(name) + " must request memory units or whole cards");
        }
    }
}
