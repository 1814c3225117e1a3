package io.gpushare.kubernetes.eviction;

import io.gpushare.model.node.LabelRequirement;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1LabelSelectorRequirement;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A PodDisruptionBudget: how many of the pods that it selects may be evicted now.
 *
 * @param requirements all of these must be met by a pod's labels; null if the budget selects no pod
 */
public record DisruptionBudget(String name, @Nullable List<LabelRequirement> requirements, int allowed) {
    public DisruptionBudget {
        requirements = requirements == null ? null : List.copyOf(requirements);
    }

    /** @param emptySelectsAll whether an empty selector selects every pod, as in policy/v1 */
    static DisruptionBudget of(V1PodDisruptionBudget budget, boolean emptySelectsAll) {
        String name = budget.getMetadata() == null
                ? ""
                : String.valueOf(budget.getMetadata().getName());
        @Nullable
        Integer allowed = budget.getStatus() == null ? null : budget.getStatus().getDisruptionsAllowed();
        @Nullable
        V1LabelSelector selector =
                budget.getSpec() == null ? null : budget.getSpec().getSelector();
        @Nullable List<LabelRequirement> requirements = selector == null ? null : requirements(selector);
        boolean none = requirements != null && requirements.isEmpty() && !emptySelectsAll;
        return new DisruptionBudget(name, none ? null : requirements, allowed == null ? 0 : allowed);
    }

    private static List<LabelRequirement> requirements(V1LabelSelector selector) {
        List<LabelRequirement> all = new ArrayList<>();
        @Nullable Map<String, String> labels = selector.getMatchLabels();
        if (labels != null) {
            labels.forEach((key, value) -> all.add(new LabelRequirement(key, "In", Set.of(value))));
        }
        @Nullable List<V1LabelSelectorRequirement> expressions = selector.getMatchExpressions();
        if (expressions != null) {
            for (V1LabelSelectorRequirement each : expressions) {
                Set<String> values = each.getValues() == null ? Set.of() : Set.copyOf(each.getValues());
                all.add(new LabelRequirement(each.getKey(), each.getOperator(), values));
            }
        }
        return all;
    }

    /** Whether it selects a pod with these labels. A requirement that can't be read counts as met: it may protect the pod. */
    public boolean selects(Map<String, String> labels) {
        return requirements != null && requirements.stream().allMatch(each -> !each.known() || each.matches(labels));
    }
}
