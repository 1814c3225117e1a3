package io.gpushare.plugin.node.cards;

import io.gpushare.model.card.CardId;
import java.util.Locale;
import java.util.Optional;

/** An Xid error of a card; the card is empty if the driver did not name it. */
public record CardXid(Optional<CardId> card, long xid) {
    @Override
    public String toString() {
        return xid + card.map(id -> " of " + id).orElse("");
    }

    /** The remedy by NVIDIA's catalogue, as the value of a label in metrics. */
    public String remedy() {
        return XidTable.of(xid).name().toLowerCase(Locale.ROOT);
    }
}
