package io.gpushare.plugin.node.holdings;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;

/** Whether what pods had is free again: a container may outlive its pod. */
@FunctionalInterface
public interface FreeCards {
    /**
     * Who has ended and still computes on any of these cards. It waits a few seconds for processes that are being
     * killed, and until the node's pods are known.
     *
     * @param next the pods that get the cards
     * @return a few names, as a part of a sentence; empty if nobody is known to
     */
    Optional<String> inUseBy(Collection<PodRef> next, Set<CardId> cards);

    /** A container of that pod got these cards: the kubelet may say that the pod has ended before the API does. */
    default void given(PodRef pod, ContainerAllocation cards) {}
}
