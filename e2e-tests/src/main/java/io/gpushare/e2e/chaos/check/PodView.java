package io.gpushare.e2e.chaos.check;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A pod as the API server has it.
 *
 * @param node empty while it is not bound
 * @param ran whether all its containers have started
 * @param why reason and message of its status, or else of what keeps it waiting
 * @param written what its annotation says of its containers
 */
public record PodView(
        String uid,
        String name,
        String node,
        String phase,
        boolean deleting,
        boolean ran,
        String why,
        List<HeldCards> written) {
    private static final ObjectMapper JSON = new ObjectMapper();

    public PodView {
        written = List.copyOf(written);
    }

    static PodView of(JsonNode pod) {
        String uid = pod.at("/metadata/uid").asText();
        String name = pod.at("/metadata/name").asText();
        return new PodView(
                uid,
                name,
                pod.at("/spec/nodeName").asText(),
                pod.at("/status/phase").asText(),
                pod.at("/metadata").has("deletionTimestamp"),
                ran(pod),
                why(pod.path("status")),
                written(
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
            // A container that could not be started has the beginning of all time.
            boolean ended = !since.isEmpty() && !since.startsWith("1970-");
            started += ended || status.at("/state/running").isObject() ? 1 : 0;
        }
        return started == pod.at("/spec/containers").size();
    }

    private static String why(JsonNode status) {
        StringBuilder why = new StringBuilder(
                status.path("reason").asText() + ": " + status.path("message").asText());
        if (status.path("reason").isMissingNode()) {
            status.path("conditions")
                    .forEach(condition ->
                            why.append(condition.path("message").asText()).append(' '));
            status.path("containerStatuses")
                    .forEach(container ->
                            why.append(container.path("state").toString()).append(' '));
        }
        return why.toString().strip();
    }

    private static List<HeldCards> written(String uid, String name, String annotation) {
        List<HeldCards> uses = new ArrayList<>();
        try {
            for (JsonNode container : JSON.readTree(annotation).path("containers")) {
                Set<String> cards = new HashSet<>();
                container.path("cards").forEach(card -> cards.add(card.asText()));
                ContainerRequest ask = ContainerRequest.cards(cards.size());
                if (cards.isEmpty()) {
                    container.path("memory").fieldNames().forEachRemaining(cards::add);
                    ask = ContainerRequest.memory(container
                            .path("memory")
                            .valueStream()
                            .mapToInt(JsonNode::asInt)
                            .sum());
                }
                uses.add(new HeldCards(uid, name, container.path("name").asText(), ask, cards));
            }
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("no JSON in the annotation of " + name + ": " + annotation, e);
        }
        return uses;
    }
}
