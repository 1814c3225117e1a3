package io.gpushare.e2e.chaos.check.pod;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of a pod in the API server.
 *
 * @param node the node; empty until the pod is bound
 * @param disrupted whether it has the condition DisruptionTarget: it was evicted
 * @param ran whether all its containers have started
 * @param message reason and message of its status, or else the messages of its conditions and containers
 * @param annotated the cards of its containers by its annotation; empty if that is not JSON
 * @param claimed the cards of its containers by the allocations of its claims; empty for a pod without claims
 */
public record PodView(
        String uid,
        String name,
        String node,
        String phase,
        boolean deleting,
        boolean disrupted,
        boolean ran,
        String message,
        List<HeldCards> annotated,
        List<HeldCards> claimed) {
    public PodView {
        annotated = List.copyOf(annotated);
        claimed = List.copyOf(claimed);
    }

    /** The cards of its containers, by whichever way it requests them. */
    public List<HeldCards> given() {
        return claimed.isEmpty() ? annotated : claimed;
    }

    /**
     * Reads a pod of the API server.
     *
     * @param claims of its namespace, by name
     */
    public static PodView of(JsonNode pod, Map<String, ClaimView> claims) {
        String uid = pod.at("/metadata/uid").asText();
        String name = pod.at("/metadata/name").asText();
        return new PodView(
                uid,
                name,
                pod.at("/spec/nodeName").asText(),
                pod.at("/status/phase").asText(),
                pod.at("/metadata").has("deletionTimestamp"),
                pod.at("/status/conditions")
                        .valueStream()
                        .anyMatch(condition -> condition.path("type").asText().equals("DisruptionTarget")
                                && condition.path("status").asText().equals("True")),
                ran(pod),
                message(pod.path("status")),
                HeldCards.annotated(
                        uid,
                        name,
                        pod.at("/metadata/annotations/gpushare.io~1allocation").asText()),
                claimed(uid, name, pod, claims));
    }

    /** The claims of the load have the names of their containers. */
    private static List<HeldCards> claimed(String uid, String name, JsonNode pod, Map<String, ClaimView> claims) {
        List<HeldCards> held = new ArrayList<>();
        for (JsonNode status : pod.at("/status/resourceClaimStatuses")) {
            @Nullable
            ClaimView claim = claims.get(status.path("resourceClaimName").asText());
            if (claim != null) {
                held.add(claim.of(uid, name, status.path("name").asText()));
            }
        }
        return held;
    }

    public boolean ended() {
        return phase.equals("Succeeded") || phase.equals("Failed");
    }

    private static boolean ran(JsonNode pod) {
        int started = 0;
        for (JsonNode status : pod.at("/status/containerStatuses")) {
            String since = status.at("/state/terminated/startedAt").asText();
            // A container that could not be started has the epoch as its start time.
            boolean ended = !since.isEmpty() && !since.startsWith("1970-");
            started += ended || status.at("/state/running").isObject() ? 1 : 0;
        }
        return started == pod.at("/spec/containers").size();
    }

    private static String message(JsonNode status) {
        StringBuilder message = new StringBuilder(
                status.path("reason").asText() + ": " + status.path("message").asText());
        if (status.path("reason").isMissingNode()) {
            status.path("conditions")
                    .forEach(condition ->
                            message.append(condition.path("message").asText()).append(' '));
            status.path("containerStatuses")
                    .forEach(container ->
                            message.append(container.path("state").toString()).append(' '));
        }
        return message.toString().strip();
    }
}
