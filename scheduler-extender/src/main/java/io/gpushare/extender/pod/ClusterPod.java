package io.gpushare.extender.pod;

import io.gpushare.model.PodController;
import io.gpushare.model.PodRef;
import io.gpushare.model.node.PodConstraints;
import io.gpushare.model.request.ContainerResources;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A pod as the API server shows it.
 *
 * @param node null while the pod is not bound
 * @param ended whether the pod has Succeeded or Failed: only then, or when it is deleted, are its cards free again
 * @param unschedulable whether kube-scheduler has tried to place the pod and found no node
 * @param failure what kube-scheduler last wrote about a failed attempt to place it: changes with what it writes; of a
 *     pod that ended, why its kubelet did not admit it; empty for nothing
 * @param nominatedNode the node on which kube-scheduler expects the pod to fit soon, because pods were evicted there;
 *     null for none
 * @param heldNode the node on which this extender holds cards for the pod, because it evicted pods there; null for none
 * @param deadline when the pod will have ended at the latest: it is being deleted, or has a deadline of its own; null
 *     for never
 * @param controller null for a pod that no controller would create again
 * @param containers in the order in which they start
 * @param constraints those of an unbound pod
 */
public record ClusterPod(
        PodRef ref,
        @Nullable String node,
        boolean ended,
        PodPriority priority,
        boolean unschedulable,
        String failure,
        @Nullable String nominatedNode,
        @Nullable String heldNode,
        @Nullable Instant deadline,
        @Nullable PodController controller,
        Map<String, String> annotations,
        List<ContainerResources> containers,
        PodConstraints constraints) {
    public ClusterPod {
        annotations = Map.copyOf(annotations);
        containers = List.copyOf(containers);
    }

    /** A pod without a controller and a deadline. */
    public ClusterPod(
            PodRef ref,
            @Nullable String node,
            boolean ended,
            PodPriority priority,
            boolean unschedulable,
            @Nullable String nominatedNode,
            @Nullable String heldNode,
            Map<String, String> annotations,
            List<ContainerResources> containers) {
        this(
                ref,
                node,
                ended,
                priority,
                unschedulable,
                "",
                nominatedNode,
                heldNode,
                null,
                null,
                annotations,
                containers,
                PodConstraints.NONE);
    }

    /** A pod that is nominated to no node. */
    public ClusterPod(
            PodRef ref,
            @Nullable String node,
            boolean ended,
            PodPriority priority,
            boolean unschedulable,
            Map<String, String> annotations,
            List<ContainerResources> containers) {
        this(ref, node, ended, priority, unschedulable, null, null, annotations, containers);
    }

    /** A pod of default priority that kube-scheduler has not reported as unschedulable. */
    public ClusterPod(
            PodRef ref,
            @Nullable String node,
            boolean ended,
            Map<String, String> annotations,
            List<ContainerResources> containers) {
        this(ref, node, ended, PodPriority.DEFAULT, false, annotations, containers);
    }

    /** Whether the pod is waiting for a node after kube-scheduler has found none. */
    public boolean waiting() {
        return unschedulable && node == null && !priority.terminating();
    }

    /** Whether scheduling gates keep kube-scheduler from looking at the pod. */
    public boolean gated() {
        return node == null && !constraints.gates().isEmpty() && !priority.terminating();
    }
}
