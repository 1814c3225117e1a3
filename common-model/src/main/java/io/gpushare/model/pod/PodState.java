package io.gpushare.model.pod;

import io.gpushare.model.PodController;
import io.gpushare.model.PodRef;
import io.gpushare.model.claims.ClaimUse;
import io.gpushare.model.request.ContainerResources;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A pod as the API server shows it, reduced to the fields that the programs use.
 *
 * @param node the node to which it is bound; null before
 * @param ended whether its phase is Succeeded or Failed: only then, or when it is deleted, are its cards free again
 * @param deadline when it will have ended at the latest: its deletionTimestamp, or when its spec.activeDeadlineSeconds
 *     and its grace period will have passed; null for never
 * @param controller null for a pod that no controller would create again
 * @param annotations those that the programs read
 * @param containers in the order in which they start: init containers and sidecars in the order of the spec, then the
 *     apps
 * @param ownJaxFraction the names of its containers that set {@link ContainerResources#JAX_FRACTION} themselves; empty
 *     where the pods of all nodes are watched
 * @param claims what its containers use of claims; none where the pods of all nodes are watched
 * @param scheduling that of an unbound pod
 * @param metrics host and port where a running device plugin serves its metrics; null for other pods
 */
public record PodState(
        PodRef ref,
        @Nullable String node,
        boolean ended,
        PodPriority priority,
        @Nullable Instant deadline,
        @Nullable PodController controller,
        Map<String, String> annotations,
        List<ContainerResources> containers,
        Set<String> ownJaxFraction,
        List<ClaimUse> claims,
        PodScheduling scheduling,
        KubeletReport kubelet,
        @Nullable String metrics) {
    public PodState {
        annotations = Map.copyOf(annotations);
        containers = List.copyOf(containers);
        ownJaxFraction = Set.copyOf(ownJaxFraction);
        claims = List.copyOf(claims);
    }

    /** A pod of default priority, of which nothing else is known. */
    public static PodState of(
            PodRef ref, @Nullable String node, Map<String, String> annotations, List<ContainerResources> containers) {
        return new PodState(
                ref,
                node,
                false,
                PodPriority.DEFAULT,
                null,
                null,
                annotations,
                containers,
                Set.of(),
                List.of(),
                PodScheduling.NONE,
                KubeletReport.of(KubeletReport.Admission.PENDING),
                null);
    }

    /**
     * Without what it requests: all that is used of a pod that is gone, which the kubelet may still list, and of one of
     * another node that ended.
     */
    public PodState identity() {
        return new PodState(
                ref,
                node,
                ended,
                PodPriority.DEFAULT,
                null,
                null,
                Map.of(),
                List.of(),
                Set.of(),
                List.of(),
                PodScheduling.NONE,
                kubelet.started().isEmpty() ? kubelet : KubeletReport.of(kubelet.admission()),
                metrics);
    }

    /** Whether it waits for a node after kube-scheduler has found none. */
    public boolean waiting() {
        return scheduling.unschedulable() && node == null && !priority.terminating();
    }

    /** Whether scheduling gates keep kube-scheduler from looking at it. */
    public boolean gated() {
        return node == null && !scheduling.gates().isEmpty() && !priority.terminating();
    }
}
