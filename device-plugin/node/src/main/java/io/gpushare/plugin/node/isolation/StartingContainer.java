package io.gpushare.plugin.node.isolation;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Share;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A container that the kubelet is about to start, and its cards; or the request of a claim, with the claim in place of
 * the pod, before the containers that use it.
 */
public record StartingContainer(PodRef pod, ContainerAllocation allocation) {
    /** The cards that it has whole. */
    public Set<CardId> wholeCards() {
        return cards(share -> share.takenWhole() > 0);
    }

    /** The cards of which it has memory. */
    public Set<CardId> sharedCards() {
        return cards(share -> share.units() > 0);
    }

    private Set<CardId> cards(Predicate<Share> kind) {
        return allocation.visibleCards().stream()
                .filter(card -> kind.test(allocation.on(card)))
                .collect(Collectors.toSet());
    }
}
