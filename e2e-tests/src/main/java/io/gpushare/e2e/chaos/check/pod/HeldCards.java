package io.gpushare.e2e.chaos.check.pod;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The cards of one container according to one source.
 *
 * @param uid the uid of the container's pod
 * @param cards card UUIDs
 */
public record HeldCards(String uid, String pod, String container, ContainerRequest request, Set<String> cards) {
    private static final ObjectMapper JSON = new ObjectMapper();

    public HeldCards {
        cards = Set.copyOf(cards);
    }

    public String name() {
        return pod + "/" + container;
    }

    /** The cards of the containers in an annotation of a pod, or of the file of a claim; empty if it is not JSON. */
    public static List<HeldCards> annotated(String uid, String name, String annotation) {
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
