package io.gpushare.model.foreign;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.codec.Decoded;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A pod as another scheduler and its device plugin annotated it. All of it is unchecked: anyone may write annotations.
 */
public sealed interface ForeignPod permits AliyunPod, HamiPod {
    /**
     * Reads the annotations of a pod.
     *
     * @param node the node to which it is bound
     * @param memory its containers that request memory
     * @param slotted its containers that request slots: these are of HAMi's pods only
     */
    static ForeignPod of(
            Map<String, String> annotations, String node, List<ContainerDemand> memory, List<ContainerDemand> slotted) {
        return slotted.isEmpty() ? AliyunPod.of(annotations, memory) : HamiPod.of(annotations, node, slotted);
    }

    /** The containers that have cards by that scheduler. */
    List<ContainerDemand> containers();

    /** Whether that scheduler chose cards for the pod. */
    boolean bound();

    /** Whether its device plugin gave the pod these cards. */
    boolean assigned();

    /**
     * What that scheduler chose for a pod that waits for its cards.
     *
     * @return absent if it chose none; malformed with a sentence if the node has no such card
     */
    Decoded<Allocation> chosen(Inventory inventory);

    /** What the pod holds if it runs or is about to run; empty if it requests nothing, or the node has no cards. */
    Optional<ForeignHolding> holding(Inventory inventory);
}
