package io.gpushare.plugin.allocate.snapshot;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.ShareKind;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Stream;

/**
 * An answered Allocate call: the allocation of a container, and the device IDs that the kubelet allocated for it.
 *
 * @param ids may name other cards than the allocation: old kubelets don't call GetPreferredAllocation
 */
public record AnsweredCall(PodRef pod, ContainerAllocation allocation, Set<String> ids, Instant at) {
    public AnsweredCall {
        ids = Set.copyOf(ids);
    }

    /** Whether the call was about that container of that pod. */
    public boolean isFor(PodRef other, String container) {
        return pod.uid().equals(other.uid()) && allocation.name().equals(container);
    }

    /** Whether the call may have been about devices of that kind. */
    boolean mayBe(ShareKind kind) {
        return DeviceIdParser.mayBe(ids, kind);
    }

    /** Whether a later call is about the same devices: a container with memory and cores causes a call for each. */
    boolean isRepeatedBy(AnsweredCall later) {
        return isFor(later.pod, later.allocation.name())
                && Stream.of(ShareKind.values()).anyMatch(kind -> mayBe(kind) && later.mayBe(kind));
    }
}
