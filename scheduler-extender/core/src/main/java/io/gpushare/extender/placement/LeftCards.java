package io.gpushare.extender.placement;

import io.gpushare.model.Allocation;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Cards that pods left a moment ago. While a pod has a card by one extended resource, the device plugin withdraws it
 * from the others, and offers it there again when it sees the end of the pod, as the extender does. A kubelet that is
 * asked for the card before that rejects the pod. kube-scheduler does not notice: the kubelet reports what it offers
 * every 10 seconds, and so never what a pod that lived shorter had withdrawn. Thread-safe.
 */
public final class LeftCards {
    /** After this time the kubelet is assumed to know what the device plugin offers; without load it takes 0.1 s. */
    static final Duration SETTLING = Duration.ofSeconds(2);

    private record Card(String node, CardId id, ShareKind as) {}

    private final LongSupplier nanos;
    private final Map<Card, Long> left = new ConcurrentHashMap<>();

    /** @param nanos a monotonic clock */
    public LeftCards(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** A pod that had these cards has ended or is gone. */
    public void add(String node, Allocation allocation) {
        long now = nanos.getAsLong();
        left.values().removeIf(at -> now - at >= SETTLING.toNanos());
        allocation.cards().forEach(card -> left.put(new Card(node, card, kind(allocation.shareOn(card))), now));
    }

    /** How long until the node's kubelet offers these cards for a pod with this allocation; zero if it does. */
    public Duration settlesIn(String node, Allocation allocation) {
        long now = nanos.getAsLong();
        Duration longest = Duration.ZERO;
        for (CardId card : allocation.cards()) {
            for (ShareKind other : ShareKind.values()) {
                Long at = other == kind(allocation.shareOn(card)) ? null : left.get(new Card(node, card, other));
                Duration wait = at == null ? Duration.ZERO : SETTLING.minusNanos(now - at);
                longest = wait.compareTo(longest) > 0 ? wait : longest;
            }
        }
        return longest;
    }

    /** The resource by which a pod has that share of a card. */
    private static ShareKind kind(Share share) {
        if (share.slots() > 0) {
            return ShareKind.SLOTS;
        }
        // A card is taken whole as a card or as an instance, never as both.
        return share.takenWhole() > 0 ? ShareKind.WHOLE_CARDS : ShareKind.MEMORY;
    }
}
