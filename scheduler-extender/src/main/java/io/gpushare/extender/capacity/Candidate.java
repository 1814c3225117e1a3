package io.gpushare.extender.capacity;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A way in which a pod could be put on a node; made by {@link FreeNode#ways} only, so it fits.
 *
 * @param shared the card that gives the pod's units; null when it asks for none
 * @param whole the cards that it would get whole
 */
public record Candidate(
        FreeNode node, PodRequest pod, @Nullable FreeCard shared, List<FreeCard> whole) {
    public Candidate {
        Objects.requireNonNull(node);
        Objects.requireNonNull(pod);
        whole = List.copyOf(whole);
    }

    /** The node with the pod on it. */
    public FreeNode after() {
        return node.after(pod, shared, whole);
    }

    /** Units of the cards that the pod would get: a whole card counts all of its own. */
    public long units() {
        long units = shared == null ? 0 : pod.units();
        for (FreeCard card : whole) {
            units += card.kind().units();
        }
        return units;
    }
}
