package io.gpushare.extender.capacity;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A possible choice of cards for a pod on one node; {@link FreeNode#candidates} makes only those that fit.
 *
 * @param shared the card that the pod would share; null if it requests whole cards only
 * @param whole the cards that the pod would take whole
 */
public record Candidate(
        FreeNode node, PodRequest pod, @Nullable FreeCard shared, List<FreeCard> whole) {
    public Candidate {
        whole = List.copyOf(whole);
    }

    /** The node with the pod on it. */
    public FreeNode after() {
        return node.after(pod, shared, whole);
    }

    /** Memory units of the cards that the pod would get; a whole card counts with its capacity. */
    public long units() {
        long units = shared == null ? 0 : pod.units();
        for (FreeCard card : whole) {
            units += card.kind().units();
        }
        return units;
    }
}
