package io.gpushare.plugin.cards;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Health;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What Xid errors did to the cards. A card that answers and had no further Xid for the quiet time is well again: an Xid is
 * an event, and nothing ever takes it back.
 */
final class CardHealth {
    private record LastXid(long xid, Instant at) {}

    private final Duration quiet;
    private final Map<CardId, LastXid> last = new HashMap<>();

    CardHealth(Duration quiet) {
        this.quiet = Objects.requireNonNull(quiet);
    }

    void xid(CardId card, long xid, Instant now) {
        last.put(card, new LastXid(xid, now));
    }

    /** The health of a card that answers. */
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

    /** The health of a card that does not answer; its quiet time begins anew when it comes back. */
    Health ofLost(CardId card, String reason, Instant now) {
        last.computeIfPresent(card, (_, xid) -> new LastXid(xid.xid(), now));
        return new Health.Unhealthy(reason);
    }
}
