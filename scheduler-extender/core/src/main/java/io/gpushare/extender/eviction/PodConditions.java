package io.gpushare.extender.eviction;

import io.gpushare.kubernetes.eviction.PodDetails;
import io.gpushare.model.node.NodeFacts;
import io.gpushare.model.node.NodeRules;
import io.gpushare.model.request.ResourceNames;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Whether this extender can say where a pod could be placed, and where that is.
 *
 * @param nodes what pods may require of a node, by name
 * @param resources the names of the resources that the ledger counts, beside MIG instances
 */
public record PodConditions(Function<String, @Nullable NodeFacts> nodes, Set<String> resources) {
    public PodConditions {
        resources = Set.copyOf(resources);
    }

    /** Why it can't, without the subject; null if it can. */
    public @Nullable String obstacle(PodDetails pod) {
        if (pod.requirements().unknown() != null) {
            return "it requires " + pod.requirements().unknown() + ", which only kube-scheduler can check";
        }
        if (!pod.requests().stream().allMatch(this::counted)) {
            return "it requests a resource that only kube-scheduler counts";
        }
        return pod.requirements().rules().size() > NodeRules.MOST
                ? "it has more than " + NodeRules.MOST + " conditions on nodes and tolerations"
                : null;
    }

    private boolean counted(String resource) {
        return resources.contains(resource) || resource.startsWith(ResourceNames.INSTANCES);
    }

    /** Whether the pod accepts that node. */
    public boolean admit(PodDetails pod, String node) {
        @Nullable NodeFacts facts = nodes.apply(node);
        return facts != null && pod.requirements().rules().admit(facts);
    }
}
