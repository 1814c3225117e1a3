package io.gpushare.plugin.node.cards;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Health;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The health of cards after Xid errors. A card that responds is healthy again after a quiet time without a further Xid:
 * an Xid is an event, and the driver reports no recovery.
 */
final class CardHealth {
    private record LastXid(long xid, Instant at) {}

    private final Duration quiet;
    private final Map<CardId, LastXid> last = new HashMap<>();

    CardHealth(Duration quiet) {
        this.quiet = quiet;
    }

    void xid(CardId card, long xid, Instant now) {
        last.put(card, new LastXid(xid, now));
    }

    /** The health of a card that responds. */
    Health ofPresent(CardId card, Instant now) {
        @Nullable LastXid xid = last.get(card);
        if (xid == null) {
            return new Health.Healthy();
        }
        if (!now.isBefore(xid.at().plus(quiet))) {
            last.remove(card);
            return new Health.Healthy();
        }
        return new Health.Unhealthy("Xid " + xid.xid());
    }

    /** The health of a card that does not respond; its quiet time starts again when it responds. */
    Health ofLost(CardId card, String reason, Instant now) {
        last.computeIfPresent(card, (_, xid) -> new LastXid(xid.xid(), now));
        return new Health.Unhealthy(reason);
    }
}
