package io.gpushare.plugin.cards;

import io.gpushare.model.card.CardId;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/** An Xid of a card; the card is empty where the driver did not say which it was. */
public record CardXid(Optional<CardId> card, long xid) {
    public CardXid {
        Objects.requireNonNull(card);
    }

    @Override
    public String toString() {
        return xid + card.map(id -> " of " + id).orElse("");
    }

    /** What NVIDIA's catalogue says has to be done, in a word for metrics. */
    public String remedy() {
        return XidTable.of(xid).name().toLowerCase(Locale.ROOT);
    }
}
