package io.gpushare.kubernetes.eviction;

import com.google.gson.JsonArray;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.wire.PodObject;
import io.gpushare.kubernetes.wire.Responses;
import io.gpushare.model.PodRef;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.util.PatchUtils;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * A strategic merge patch of a pod's status, which leaves all other conditions. Users can't write the status of a pod, so
 * what is there can be believed.
 */
public final class PodStatusPatch {
    private final JsonObject status = new JsonObject();

    private PodStatusPatch() {}

    /** The pod preempts others on that node: the node is nominated, and a condition says that its cards are held. */
    public static PodStatusPatch held(String node, Instant now) {
        PodStatusPatch patch = nominated(node);
        patch.condition(
                PodObject.HELD,
                "True",
                "Preempting",
                node + ": cards are held for this pod until the pods that leave them have ended",
                now);
        return patch;
    }

    /** The node is nominated for the pod. */
    public static PodStatusPatch nominated(String node) {
        PodStatusPatch patch = new PodStatusPatch();
        patch.status.addProperty("nominatedNodeName", node);
        return patch;
    }

    /**
     * No cards are held for the pod any more.
     *
     * @param why a CamelCase word
     */
    public static PodStatusPatch released(String why, String sentence, Instant now) {
        PodStatusPatch patch = new PodStatusPatch();
        patch.status.add("nominatedNodeName", JsonNull.INSTANCE);
        patch.condition(PodObject.HELD, "False", why, sentence, now);
        return patch;
    }

    /** The pod is preempted: what kube-scheduler writes on its victims. */
    public static PodStatusPatch disrupted(String sentence, Instant now) {
        PodStatusPatch patch = new PodStatusPatch();
        patch.condition("DisruptionTarget", "True", "PreemptionByScheduler", sentence, now);
        return patch;
    }

    private void condition(String type, String value, String reason, String message, Instant now) {
        JsonObject condition = new JsonObject();
        condition.addProperty("type", type);
        condition.addProperty("status", value);
        condition.addProperty("reason", reason);
        condition.addProperty("message", message);
        condition.addProperty(
                "lastTransitionTime", now.truncatedTo(ChronoUnit.SECONDS).toString());
        JsonArray conditions = new JsonArray();
        conditions.add(condition);
        status.add("conditions", conditions);
    }

    void send(PodRef pod, ApiClient client) throws KubernetesException {
        JsonObject metadata = new JsonObject();
        metadata.addProperty("uid", pod.uid());
        JsonObject document = new JsonObject();
        document.add("metadata", metadata);
        document.add("status", status);
        try {
            V1Patch patch = new V1Patch(document.toString());
            Responses.of(() -> PatchUtils.patch(
                    Object.class,
                    () -> new CoreV1Api(client)
                            .patchNamespacedPodStatus(pod.name(), pod.namespace(), patch)
                            .buildCall(null),
                    V1Patch.PATCH_FORMAT_STRATEGIC_MERGE_PATCH,
                    client));
        } catch (ApiException e) {
            throw KubernetesException.of("changing the status of pod " + pod, e);
        }
    }
}
