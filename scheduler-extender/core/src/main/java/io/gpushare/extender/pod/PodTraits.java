package io.gpushare.extender.pod;

import io.gpushare.model.node.Taint;
import io.gpushare.model.node.Toleration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What else a pod states for kube-scheduler, beside its resources, as far as this extender must know.
 *
 * @param preferences whether it states a preference that kube-scheduler scores: a preferred affinity or a soft topology
 *     spread
 * @param relations whether it requires something that depends on other pods or volumes, which only kube-scheduler can
 *     check
 * @param group its PodGroup, of which kube-scheduler may bind minCount pods or none; null for none
 * @param tolerations those of its tolerations that may apply to soft taints, at most {@link #MOST_TOLERATIONS}
 */
public record PodTraits(
        boolean preferences, boolean relations, @Nullable String group, List<Toleration> tolerations) {
    /**
     * Filter compares them with the taints of nodes. A pod with more counts as one that tolerates none of the others.
     */
    public static final int MOST_TOLERATIONS = 64;

    public static final PodTraits NONE = new PodTraits(false, false, null, List.of());

    public PodTraits {
        tolerations = List.copyOf(tolerations);
    }

    /** Whether it tolerates all these taints. */
    public boolean tolerates(List<Taint> taints) {
        return taints.stream().allMatch(taint -> tolerations.stream().anyMatch(each -> each.tolerates(taint)));
    }
}
