package io.gpushare.kubernetes.eviction;

import io.gpushare.kubernetes.wire.PodJson;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A strategic merge patch of a pod's status, which leaves all other conditions. Users can't write the status of a pod, so
 * what is there can be believed.
 */
public record PodStatusPatch(Map<String, ? extends @Nullable Object> status) {
    /** The pod preempts others on that node: the node is nominated, and a condition says that its cards are held. */
    public static PodStatusPatch held(String node, Instant now) {
        String message = node + ": cards are held for this pod until the pods that leave them have ended";
        return holding(node, conditions(PodJson.HELD, "True", "Preempting", message, now));
    }

    /** The node is nominated for the pod. */
    public static PodStatusPatch nominated(String node) {
        return holding(node, Map.of());
    }

    /**
     * No cards are held for the pod any more.
     *
     * @param why a CamelCase word
     */
    public static PodStatusPatch released(String why, String sentence, Instant now) {
        return holding(null, conditions(PodJson.HELD, "False", why, sentence, now));
    }

    /** The pod is preempted: what kube-scheduler writes on its victims. */
    public static PodStatusPatch disrupted(String sentence, Instant now) {
        return new PodStatusPatch(conditions("DisruptionTarget", "True", "PreemptionByScheduler", sentence, now));
    }

    /** @param node null removes the nomination */
    private static PodStatusPatch holding(@Nullable String node, Map<String, ?> conditions) {
        Map<String, @Nullable Object> status = new HashMap<>(conditions);
        status.put("nominatedNodeName", node);
        return new PodStatusPatch(status);
    }

    private static Map<String, ?> conditions(String type, String value, String reason, String message, Instant now) {
        String time = now.truncatedTo(ChronoUnit.SECONDS).toString();
        return Map.of(
                "conditions",
                List.of(Map.of(
                        "type",
                        type,
                        "status",
                        value,
                        "reason",
                        reason,
                        "message",
                        message,
                        "lastTransitionTime",
                        time)));
    }
}
