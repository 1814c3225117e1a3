package io.gpushare.model.node;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What decides where and when an unbound pod is scheduled, beside its resources.
 *
 * @param nodes the nodes that it accepts
 * @param gates the names of its scheduling gates: while it has some, kube-scheduler leaves it alone
 * @param group the PodGroup of which kube-scheduler binds all pods or none; null for none
 * @param condition what kube-scheduler last wrote about it; empty for nothing, and for pods that are watched
 */
public record PodConstraints(
        NodeRules nodes, List<String> gates, @Nullable String group, String condition) {
    /** Those of a pod that is bound, or of which nothing is known. */
    public static final PodConstraints NONE = new PodConstraints(NodeRules.ANY, List.of(), null, "");

    public PodConstraints {
        gates = List.copyOf(gates);
    }

    /** The same without what kube-scheduler wrote. */
    public PodConstraints withoutCondition() {
        return condition.isEmpty() ? this : new PodConstraints(nodes, gates, group, "");
    }
}
