package io.gpushare.plugin.node;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.PodRef;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;

/**
 * What an Allocate was answered: the container of that pod got these cards, and the kubelet booked these devices for it.
 *
 * @param ids not always devices of the cards that it got: an old kubelet does not ask which ones are preferred
 */
public record AnsweredCall(PodRef pod, ContainerAllocation gets, Set<String> ids, Instant at) {
    public AnsweredCall {
        Objects.requireNonNull(pod);
        Objects.requireNonNull(gets);
        ids = Set.copyOf(ids);
        Objects.requireNonNull(at);
    }

    /** Whether this was the answer to that container of that pod. */
    public boolean to(PodRef asked, String container) {
        return pod.uid().equals(asked.uid()) && gets.name().equals(container);
    }
}
