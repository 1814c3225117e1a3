package io.gpushare.extender.pod;

import io.gpushare.model.HostResources;
import io.gpushare.model.card.CardKind;
import io.gpushare.model.card.Share;
import java.util.Set;

/**
 * What a pod requests of a node, as a policy weighs it.
 *
 * @param cpuMilli thousandths of a CPU
 * @param memoryMib the node's memory, in MiB
 * @param share its part of one card that others may share, or a MIG instance, with its memory if that is known
 * @param cards whole cards, beside the shared one
 * @param models the card models that the pod may have; empty for any
 */
public record PodRequest(long cpuMilli, long memoryMib, Share share, int cards, Set<String> models) {
    public PodRequest {
        models = Set.copyOf(models);
        if (cpuMilli < 0 || memoryMib < 0 || cards < 0) {
            throw new IllegalArgumentException("a pod can't request a negative amount");
        }
    }

    /** A pod that shares one card by that many memory units; 0 for none. */
    public PodRequest(long cpuMilli, long memoryMib, int units, int cards, Set<String> models) {
        this(cpuMilli, memoryMib, Share.memory(units), cards, models);
    }

    /** A pod that requests no GPU. */
    public static PodRequest withoutGpu(HostResources host) {
        return new PodRequest(host.cpuMilli(), host.memoryMib(), Share.NONE, 0, Set.of());
    }

    /** The same pod as if it requested nothing of the node's memory. */
    public PodRequest withoutMemory() {
        return new PodRequest(cpuMilli, 0, share, cards, models);
    }

    /**
     * The same pod on a card with that capacity: a percentage of its memory in units, and an instance with all of it.
     */
    public PodRequest on(Share capacity) {
        Share there = share.instances() > 0 ? share.withUnits(capacity.units()) : share.on(capacity);
        return there.equals(share) ? this : new PodRequest(cpuMilli, memoryMib, there, cards, models);
    }

    /** The CPU and memory of the node that it requests. */
    public HostResources host() {
        return new HostResources(cpuMilli, memoryMib);
    }

    /** Memory units on the shared card; 0 for none. */
    public int units() {
        return share.units();
    }

    /** Whether the pod shares a card with others. */
    public boolean shares() {
        return !share.isNone();
    }

    /** Whether the pod requests a card or a share of one. */
    public boolean gpu() {
        return shares() || cards > 0;
    }

    /** Whether the pod may have cards of that kind. Who takes whole cards or instances gets no other ones. */
    public boolean allows(CardKind kind) {
        boolean like = kind.instance() ? shares() : share.instances() == 0;
        return like && (models.isEmpty() || models.contains(kind.model()));
    }
}
