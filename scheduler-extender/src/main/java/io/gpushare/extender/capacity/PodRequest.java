package io.gpushare.extender.capacity;

import io.gpushare.extender.feasibility.CardKind;
import io.gpushare.model.HostResources;
import java.util.Set;

/**
 * What a pod asks of a node, in the numbers that a policy weighs.
 *
 * @param cpuMilli thousandths of a cpu
 * @param memoryMib the node's memory, in MiB
 * @param units units on one card that others may share; 0 for none
 * @param cards whole cards, beside the shared one
 * @param models the card models that the pod may have; empty for any
 */
public record PodRequest(long cpuMilli, long memoryMib, int units, int cards, Set<String> models) {
    public PodRequest {
        models = Set.copyOf(models);
        if (cpuMilli < 0 || memoryMib < 0 || units < 0 || cards < 0) {
            throw new IllegalArgumentException("a pod can't ask for less than nothing");
        }
    }

    /** A pod that asks for no card. */
    public static PodRequest withoutGpu(HostResources host) {
        return new PodRequest(host.cpuMilli(), host.memoryMib(), 0, 0, Set.of());
    }

    /** Whether it asks for a card or a part of one. */
    public boolean gpu() {
        return units > 0 || cards > 0;
    }

    public boolean allows(CardKind kind) {
        return models.isEmpty() || models.contains(kind.model());
    }
}
