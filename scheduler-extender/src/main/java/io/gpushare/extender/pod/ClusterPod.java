package io.gpushare.extender.pod;

import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.ContainerResources;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.codec.DemandCodec;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A pod as the API server shows it.
 *
 * @param node null while it is not bound
 * @param ended whether it has Succeeded or Failed: only then, or when it is gone, are its cards free again
 * @param rank how much it matters
 * @param refused whether kube-scheduler looked for a node for it and found none
 * @param containers in the order in which they start
 */
public record ClusterPod(
        PodRef ref,
        @Nullable String node,
        boolean ended,
        PodPriority rank,
        boolean refused,
        Map<String, String> annotations,
        List<ContainerResources> containers) {
    public ClusterPod {
        Objects.requireNonNull(ref);
        Objects.requireNonNull(rank);
        annotations = Map.copyOf(annotations);
        containers = List.copyOf(containers);
    }

    /** What it asks for. On which cards is no question any more once it is bound: its annotations may be edited later. */
    public Decoded<Demand> demand(DemandCodec demands) {
        return node == null ? demands.decode(containers, annotations) : demands.decode(containers);
    }

    /** A pod of no rank, of which kube-scheduler has said nothing. */
    public ClusterPod(
            PodRef ref,
            @Nullable String node,
            boolean ended,
            Map<String, String> annotations,
            List<ContainerResources> containers) {
        this(ref, node, ended, PodPriority.PLAIN, false, annotations, containers);
    }
}
