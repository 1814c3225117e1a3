package io.gpushare.kubernetes;

import io.gpushare.kubernetes.wire.PodObject;
import io.gpushare.model.PodController;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.ContainerResources;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A pod in the API, reduced to the fields that the programs use.
 *
 * @param node the node to which it is bound; null before
 * @param ended whether its phase is Succeeded or Failed: its containers do not run again
 * @param admission how far its kubelet is with it
 * @param deleting whether its deletion was requested; its containers may still run
 * @param priority spec.priority; 0 where the API has none
 * @param refused whether its scheduler found no node for it (condition PodScheduled, reason Unschedulable)
 * @param annotations those that the programs read
 * @param containers in the order in which they start: init containers and sidecars in the order of the spec, then the apps
 * @param started the names of the started containers by container ID, without the runtime's prefix; empty where the pods
 *     of all nodes are watched
 * @param nominatedNode the node on which its scheduler expects it to fit soon (status.nominatedNodeName); null for none
 * @param heldNode the node on which cards are held for it, because pods were evicted there; null for none
 * @param deadline when its spec.activeDeadlineSeconds and its grace period will have passed; null without a deadline
 * @param controller null for a pod that no controller would create again
 * @param metrics host and port where a running device plugin serves its metrics; null for other pods
 */
public record PodState(
        PodRef ref,
        @Nullable String node,
        boolean ended,
        Admission admission,
        boolean deleting,
        Instant created,
        int priority,
        boolean refused,
        Map<String, String> annotations,
        List<ContainerResources> containers,
        Map<String, String> started,
        @Nullable String nominatedNode,
        @Nullable String heldNode,
        @Nullable Instant deadline,
        @Nullable PodController controller,
        @Nullable String metrics) {
    /** How far the kubelet is with a pod. */
    public enum Admission {
        /** It has not reported the pod. */
        PENDING,
        /** It runs, starts or has run the pod's containers. */
        ADMITTED,
        /** It failed the pod without any container. */
        REJECTED;

        private static Admission of(PodObject pod) {
            return pod.rejected() ? REJECTED : pod.admitted() ? ADMITTED : PENDING;
        }
    }

    public PodState {
        annotations = Map.copyOf(annotations);
        containers = List.copyOf(containers);
        started = Map.copyOf(started);
    }

    static PodState of(PodObject pod) {
        return new PodState(
                pod.ref(),
                pod.node(),
                pod.ended(),
                Admission.of(pod),
                pod.deleting(),
                pod.created(),
                pod.priority(),
                pod.unschedulable(),
                pod.annotations(),
                pod.containers(),
                pod.started(),
                pod.nominatedNode(),
                pod.heldNode(),
                pod.deadline(),
                pod.controller(),
                pod.metrics());
    }
}
