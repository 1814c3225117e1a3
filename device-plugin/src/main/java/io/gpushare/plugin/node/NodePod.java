package io.gpushare.plugin.node;

import io.gpushare.model.Allocation;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.Decoded;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A pod of this node as the API has it.
 *
 * @param ended its phase is Succeeded or Failed: it holds nothing any more
 * @param started the names of its containers that have started, by the ID that the container runtime gave them
 */
public record NodePod(
        PodRef ref,
        Instant created,
        boolean ended,
        Decoded<Demand> demand,
        Decoded<Allocation> allocation,
        Map<String, String> started) {
    /** The order in which the kubelet admits pods that came together; the name breaks ties. */
    public static final Comparator<NodePod> ADMISSION_ORDER = Comparator.comparing(NodePod::created)
            .thenComparing(pod -> pod.ref().toString());

    public NodePod {
        Objects.requireNonNull(ref);
        Objects.requireNonNull(created);
        Objects.requireNonNull(demand);
        Objects.requireNonNull(allocation);
        started = Map.copyOf(started);
    }

    /** A pod of which no container has started yet. */
    public NodePod(PodRef ref, Instant created, boolean ended, Decoded<Demand> demand, Decoded<Allocation> allocation) {
        this(ref, created, ended, demand, allocation, Map.of());
    }

    public PodName name() {
        return PodName.of(ref);
    }

    /** What is written on the pod, if that is its demand: nobody is believed to have other amounts than it asks for. */
    Optional<Allocation> believed() {
        return allocation
                .valid()
                .filter(written -> demand.valid().filter(written::gives).isPresent());
    }
}
