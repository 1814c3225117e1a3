package io.gpushare.model.pod;

import io.gpushare.model.node.NodeRules;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What matters of a pod until it is bound: where and when it may be scheduled, beside its resources, and what became of
 * its scheduler's attempts.
 *
 * @param nodes the nodes that it accepts
 * @param gates the names of its scheduling gates: while it has some, kube-scheduler leaves it alone
 * @param group its PodGroup, of which kube-scheduler may bind minCount pods or none; null for none
 * @param templates the templates from which Kubernetes makes claims for it
 * @param unschedulable whether its scheduler found no node for it (condition PodScheduled, reason Unschedulable)
 * @param failure what its scheduler last wrote about a failed attempt (condition PodScheduled), shortened: changes with
 *     what it writes; empty for nothing
 * @param condition the same message in full; empty for nothing, and for pods that are watched
 * @param nominatedNode the node on which its scheduler expects it to fit soon, because pods were evicted there; null
 *     for none
 * @param heldNode the node on which the extender holds cards for it, because it evicted pods there; null for none
 */
public record PodScheduling(
        NodeRules nodes,
        List<String> gates,
        @Nullable String group,
        List<String> templates,
        boolean unschedulable,
        String failure,
        String condition,
        @Nullable String nominatedNode,
        @Nullable String heldNode) {
    /** That of a pod that is bound, or of which nothing is known. */
    public static final PodScheduling NONE =
            new PodScheduling(NodeRules.ANY, List.of(), null, List.of(), false, "", "", null, null);

    public PodScheduling {
        gates = List.copyOf(gates);
        templates = List.copyOf(templates);
    }
}
