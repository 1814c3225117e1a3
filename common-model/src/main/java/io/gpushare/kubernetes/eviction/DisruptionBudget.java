package io.gpushare.kubernetes.eviction;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.kubernetes.wire.Json;
import io.gpushare.kubernetes.wire.PodJson;
import io.gpushare.model.node.LabelRequirement;
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

    /**
     * A budget of the API.
     *
     * @param emptySelectsAll whether an empty selector selects every pod, as in policy/v1
     */
    public static DisruptionBudget of(JsonNode budget, boolean emptySelectsAll) {
        JsonNode selector = budget.path("spec").path("selector");
        List<LabelRequirement> requirements = new ArrayList<>();
        Json.texts(selector, "matchLabels")
                .forEach((key, value) -> requirements.add(new LabelRequirement(key, "In", Set.of(value))));
        requirements.addAll(PodJson.requirements(selector.path("matchExpressions")));
        boolean selects = selector.isObject() && (emptySelectsAll || !requirements.isEmpty());
        return new DisruptionBudget(
                Json.text(budget.path("metadata"), "name"),
                selects ? requirements : null,
                budget.path("status").path("disruptionsAllowed").asInt());
    }

    /**
     * Whether it selects a pod with these labels. A requirement that can't be read counts as met: it may protect the
     * pod.
     */
    public boolean selects(Map<String, String> labels) {
        return requirements != null && requirements.stream().allMatch(each -> !each.known() || each.matches(labels));
    }
}
