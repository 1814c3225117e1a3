package io.gpushare.kubernetes;

import io.gpushare.model.PodRef;
import io.gpushare.model.codec.ContainerResources;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A pod as the API has it, reduced to what is used.
 *
 * @param node where it is bound; null before
 * @param ended whether its phase is Succeeded or Failed: its containers will not run again
 * @param deleting whether deletion was asked for; the containers may still run
 * @param priority spec.priority; 0 where the API has none
 * @param refused whether its scheduler looked for a node for it and found none (condition PodScheduled, reason
 *     Unschedulable)
 * @param annotations those that anything here reads
 * @param containers in the order in which they start: init containers and sidecars as in the spec, then the apps
 * @param started the names of the containers that have started, by the ID that the container runtime gave them (without
 *     the runtime's name before it); empty for pods of all nodes, where nobody needs it
 * @param metrics of a GPU share device plugin that runs: where it serves its metrics, as host and port; null for any other
 */
public record PodState(
        PodRef ref,
        @Nullable String node,
        boolean ended,
        boolean deleting,
        Instant created,
        int priority,
        boolean refused,
        Map<String, String> annotations,
        List<ContainerResources> containers,
        Map<String, String> started,
        @Nullable String metrics) {
    public PodState {
        annotations = Map.copyOf(annotations);
        containers = List.copyOf(containers);
        started = Map.copyOf(started);
    }
}
