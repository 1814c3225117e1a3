package io.gpushare.e2e.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The cluster in the API at one moment: nodes with their inventory, pods with their allocation. {@link ClaimedCards}
 * has those of claims.
 */
record ClusterSnapshot(List<Node> nodes, List<Placed> pods) {
    static final String INVENTORY = "gpushare.io/inventory";
    static final String ALLOCATION = "gpushare.io/allocation";
    /** The label of nodes that serve claims. */
    static final String SERVE = "gpushare.io/serve";

    /**
     * A card of a node's inventory; its units have the node's unit size.
     *
     * @param profile of a MIG instance; empty for a full card
     */
    record Card(String uuid, int index, String model, String profile, int units) {
        String name() {
            return profile.isEmpty() ? model : model + " " + profile;
        }
    }

    record Node(String name, List<Card> cards, int memory, int memoryAllocatable, int cardsAllocatable) {
        /** The number of its cards that are no MIG instances. */
        long fullCards() {
            return cards.stream().filter(card -> card.profile().isEmpty()).count();
        }
    }

    /** The part of a card that a container has: units, or the whole card. */
    record Share(String container, String card, int units, boolean whole) {}

    record Placed(PodDocument pod, List<Share> shares) {
        boolean active() {
            return !pod.node().isEmpty() && !pod.ended();
        }

        int unitsOn(String card) {
            return shares.stream()
                    .filter(share -> share.card().equals(card))
                    .mapToInt(Share::units)
                    .sum();
        }

        boolean takesWhole(String card) {
            return shares.stream().anyMatch(share -> share.card().equals(card) && share.whole());
        }
    }

    ClusterSnapshot {
        nodes = List.copyOf(nodes);
        pods = List.copyOf(pods);
    }

    static ClusterSnapshot take(ApiClient cluster) throws IOException, InterruptedException {
        List<Node> nodes = new ArrayList<>();
        for (JsonNode node : list(cluster, "/api/v1/nodes")) {
            if (!servesClaims(node)) {
                nodes.add(node(node));
            }
        }
        List<Placed> pods = new ArrayList<>();
        for (JsonNode pod : list(cluster, "/api/v1/pods")) {
            pods.add(placed(new PodDocument((ObjectNode) pod)));
        }
        return new ClusterSnapshot(nodes, pods);
    }

    /** With the nodes and pods of another one. */
    ClusterSnapshot and(ClusterSnapshot other) {
        return new ClusterSnapshot(
                Stream.concat(nodes.stream(), other.nodes.stream()).toList(),
                Stream.concat(pods.stream(), other.pods.stream()).toList());
    }

    static boolean servesClaims(JsonNode node) {
        return node.at("/metadata/labels").has(SERVE);
    }

    static JsonNode list(ApiClient cluster, String path) throws IOException, InterruptedException {
        ApiClient.Answer answer = cluster.get(path);
        if (!answer.succeeded()) {
            throw new IOException(path + ": " + answer.message());
        }
        return answer.document().path("items");
    }

    static Node node(JsonNode node) {
        String inventory =
                node.path("metadata").path("annotations").path(INVENTORY).asText("{}");
        JsonNode document = ApiClient.document(inventory);
        List<Card> cards = new ArrayList<>();
        for (JsonNode card : document.path("cards")) {
            int offered =
                    card.path("memoryMiB").asInt() - card.path("headroomMiB").asInt();
            int units = offered / document.path("unitMiB").asInt(1024);
            cards.add(new Card(
                    card.path("uuid").asText(),
                    card.path("index").asInt(),
                    card.path("model").asText(),
                    card.path("profile").asText(),
                    units));
        }
        JsonNode status = node.path("status");
        return new Node(
                node.path("metadata").path("name").asText(),
                cards,
                status.path("capacity").path(PodSpec.MEMORY).asInt(),
                status.path("allocatable").path(PodSpec.MEMORY).asInt(),
                status.path("allocatable").path(PodSpec.CARDS).asInt());
    }

    /** The pod with the allocation in its annotation, as far as the programs believe it: any user may write one. */
    static Placed placed(PodDocument pod) {
        String allocation = pod.annotation(ALLOCATION);
        List<Share> shares = new ArrayList<>();
        for (JsonNode container :
                ApiClient.document(allocation.isEmpty() ? "{}" : allocation).path("containers")) {
            String name = container.path("name").asText();
            container
                    .path("memory")
                    .properties()
                    .forEach(entry -> shares.add(
                            new Share(name, entry.getKey(), entry.getValue().asInt(), false)));
            container.path("cards").forEach(card -> shares.add(new Share(name, card.asText(), 0, true)));
        }
        return new Placed(pod, requested(pod, shares) ? shares : List.of());
    }

    /** Whether each container has what it requests, and nobody else has something. */
    private static boolean requested(PodDocument pod, List<Share> shares) {
        List<PodDocument.Container> containers = pod.containers();
        Set<String> names = containers.stream().map(PodDocument.Container::name).collect(Collectors.toSet());
        return shares.stream().allMatch(share -> names.contains(share.container()))
                && containers.stream().allMatch(container -> requested(container, shares));
    }

    private static boolean requested(PodDocument.Container container, List<Share> shares) {
        long units = 0;
        long whole = 0;
        for (Share share : shares) {
            if (share.container().equals(container.name())) {
                units += share.units();
                whole += share.whole() ? 1 : 0;
            }
        }
        long requestedUnits = 0;
        long requestedCards = 0;
        for (Map.Entry<String, BigDecimal> limit : container.limits().entrySet()) {
            if (limit.getKey().equals(PodSpec.MEMORY)) {
                requestedUnits += limit.getValue().longValue();
            } else if (limit.getKey().equals(PodSpec.CARDS) || limit.getKey().startsWith(PodSpec.MIG)) {
                requestedCards += limit.getValue().longValue();
            }
        }
        return units == requestedUnits && whole == requestedCards;
    }

    List<Placed> on(Card card) {
        return pods.stream()
                .filter(Placed::active)
                .filter(pod ->
                        pod.shares().stream().anyMatch(share -> share.card().equals(card.uuid())))
                .toList();
    }

    Optional<Placed> pod(String name) {
        return pods.stream().filter(placed -> placed.pod().name().equals(name)).findFirst();
    }

    /** Whether all cards and memory of every node are allocatable. */
    boolean allFree() {
        return nodes.stream()
                .allMatch(node -> node.memory() > 0
                        && node.memoryAllocatable()
                                == node.cards().stream().mapToInt(Card::units).sum()
                        && node.cardsAllocatable() == node.fullCards());
    }
}
