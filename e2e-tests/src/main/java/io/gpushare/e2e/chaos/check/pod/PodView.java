package io.gpushare.e2e.chaos.check.pod;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The state of a pod in the API server.
 *
 * @param node the node; empty until the pod is bound
 * @param disrupted whether it has the condition DisruptionTarget: it was evicted
 * @param ran whether all its containers have started
 * @param message reason and message of its status, or else the messages of its conditions and containers
 * @param annotated the cards of its containers by its annotation; empty if that is not JSON
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
        List<HeldCards> annotated) {
    private static final ObjectMapper JSON = new ObjectMapper();

    public PodView {
        annotated = List.copyOf(annotated);
    }

    public static PodView of(JsonNode pod) {
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
                annotated(
                        uid,
                        name,
                        pod.at("/metadata/annotations/gpushare.io~1allocation").asText()));
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

    private static List<HeldCards> annotated(String uid, String name, String annotation) {
        List<HeldCards> uses = new ArrayList<>();
        try {
            for (JsonNode container : JSON.readTree(annotation).path("containers")) {
                Set<String> cards = new HashSet<>();
                container.path("cards").forEach(card -> cards.add(card.asText()));
                ContainerRequest request = ContainerRequest.cards(cards.size());
                if (cards.isEmpty()) {
                    container.path("memory").fieldNames().forEachRemaining(cards::add);
                    request = ContainerRequest.memory(container
                            .path("memory")
                            .valueStream()
                            .mapToInt(JsonNode::asInt)
                            .sum());
                }
                uses.add(new HeldCards(uid, name, container.path("name").asText(), request, cards));
            }
            return uses;
        } catch (JsonProcessingException e) {
            return List.of(); // A tenant edited it.
        }
    }
}
