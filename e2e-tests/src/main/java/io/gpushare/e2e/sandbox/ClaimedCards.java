package io.gpushare.e2e.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Card;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Node;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Placed;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Share;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The nodes that serve claims, and the pods that have their cards, by the allocations that kube-scheduler wrote. */
final class ClaimedCards {
    private static final String CLAIMS = "/apis/resource.k8s.io/v1/resourceclaims";
    private static final String GIB = "Gi";

    private final Map<String, Card> cards = new HashMap<>();
    /** The results of the allocations, by the namespace and name of the claim. */
    private final Map<String, JsonNode> results = new HashMap<>();

    private ClaimedCards(List<Node> nodes) {
        // A device has the UUID of its card in small letters as its name.
        nodes.forEach(node -> node.cards().forEach(card -> cards.put(card.uuid().toLowerCase(Locale.ROOT), card)));
    }

    static ClusterSnapshot take(ApiClient cluster) throws IOException, InterruptedException {
        List<Node> nodes = new ArrayList<>();
        for (JsonNode node : ClusterSnapshot.list(cluster, "/api/v1/nodes")) {
            if (ClusterSnapshot.servesClaims(node)) {
                nodes.add(ClusterSnapshot.node(node));
            }
        }
        ClaimedCards claimed = new ClaimedCards(nodes);
        for (JsonNode claim : ClusterSnapshot.list(cluster, CLAIMS)) {
            String name = claim.at("/metadata/namespace").asText() + "/"
                    + claim.at("/metadata/name").asText();
            claimed.results.put(name, claim.at("/status/allocation/devices/results"));
        }
        List<Placed> pods = new ArrayList<>();
        for (JsonNode pod : ClusterSnapshot.list(cluster, "/api/v1/pods")) {
            List<Share> shares = claimed.shares(pod);
            if (!shares.isEmpty()) {
                pods.add(new Placed(new PodDocument((ObjectNode) pod), shares));
            }
        }
        return new ClusterSnapshot(nodes, pods);
    }

    private List<Share> shares(JsonNode pod) {
        List<Share> shares = new ArrayList<>();
        for (JsonNode status : pod.at("/status/resourceClaimStatuses")) {
            String claim = pod.at("/metadata/namespace").asText() + "/"
                    + status.path("resourceClaimName").asText();
            for (JsonNode container : pod.at("/spec/containers")) {
                boolean uses = container
                        .at("/resources/claims")
                        .valueStream()
                        .anyMatch(each -> each.path("name").equals(status.path("name")));
                for (JsonNode result : uses ? results.getOrDefault(claim, pod.path("none")) : pod.path("none")) {
                    shares.addAll(share(container.path("name").asText(), result));
                }
            }
        }
        return shares;
    }

    private List<Share> share(String container, JsonNode result) {
        @Nullable Card card = cards.get(result.path("device").asText());
        if (card == null) {
            return List.of();
        }
        int units = gib(result.at("/consumedCapacity/memory").asText());
        return List.of(new Share(container, card.uuid(), units, units == 0 || units >= card.units()));
    }

    /** A quantity of memory in whole GiB; 0 if there is none. */
    private static int gib(String quantity) {
        return quantity.isEmpty()
                ? 0
                : quantity.endsWith(GIB)
                        ? Integer.parseInt(quantity.substring(0, quantity.length() - GIB.length()))
                        : Math.toIntExact(Math.ceilDiv(Long.parseLong(quantity), 1L << 30));
    }
}
