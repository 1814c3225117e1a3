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
 * A pod of this node as the API reports it.
 *
 * @param ended whether its phase is Succeeded or Failed: then it holds no cards
 * @param started the names of its started containers, by container ID
 */
public record NodePod(
        PodRef ref,
        Instant created,
        boolean ended,
        Decoded<Demand> demand,
        Decoded<Allocation> allocation,
        Map<String, String> started) {
    /** The order in which the kubelet admits pods that it receives together; the name breaks ties. */
    public static final Comparator<NodePod> ADMISSION_ORDER = Comparator.comparing(NodePod::created)
            .thenComparing(pod -> pod.ref().toString());

    public NodePod {
        Objects.requireNonNull(ref);
        Objects.requireNonNull(created);
        Objects.requireNonNull(demand);
        Objects.requireNonNull(allocation);
        started = Map.copyOf(started);
    }

    /** A pod without a started container. */
    public NodePod(PodRef ref, Instant created, boolean ended, Decoded<Demand> demand, Decoded<Allocation> allocation) {
        this(ref, created, ended, demand, allocation, Map.of());
    }

    public PodName name() {
        return PodName.of(ref);
    }

    /** The annotated allocation, if it gives the pod exactly its demand; any other one is rejected. */
    Optional<Allocation> acceptedAllocation() {
        return allocation
                .valid()
                .filter(written -> demand.valid().filter(written::gives).isPresent());
    }
}
