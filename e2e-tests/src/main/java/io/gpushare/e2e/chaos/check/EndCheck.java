package io.gpushare.e2e.chaos.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.gpushare.e2e.chaos.check.pod.HeldCards;
import io.gpushare.e2e.cluster.ApiServer;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.KubeletPodResources;
import io.gpushare.e2e.cluster.LocalCluster;
import io.gpushare.e2e.cluster.SimulatedMps;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Checks after all pods are gone and all faults are reverted that nothing is still allocated, according to every
 * source.
 */
public final class EndCheck {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int SLOTS_PER_CARD = 10;
    /**
     * The kubelet reports allocatable every 10 s, and a program that was killed often waits minutes for its restart.
     */
    private static final Duration LIMIT = Duration.ofMinutes(4);

    private final LocalCluster cluster;
    private final List<String> nodes;
    private final ApiServer api;
    private final ClusterCards cards;
    private final ClaimsSource claims;
    private final Tally tally;

    public EndCheck(LocalCluster cluster, List<String> nodes, ApiServer api, ClaimsSource claims, Tally tally) {
        this.cluster = cluster;
        this.nodes = List.copyOf(nodes);
        this.api = api;
        this.cards = claims.cards();
        this.claims = claims;
        this.tally = tally;
    }

    public void run() {
        empty("the extender's ledger", this::ledger);
        empty("the extender's metrics", this::metrics);
        empty("the kubelets' pod-resources", this::podResources);
        empty("the nodes' allocatable and capacity", this::allocatable);
        empty("claims, their files and slices", () -> claims.left(nodes));
        empty("the containers' processes", () -> names(new Processes(cluster).containers()));
        empty("the cards' compute modes", this::modes);
    }

    /** Cards that only a server of MPS may use, or nobody. */
    private List<String> modes() {
        return nodes.stream()
                .map(node -> node + " " + SimulatedMps.modes(cluster, node))
                .filter(modes -> !modes.endsWith("{}"))
                .toList();
    }

    private interface Leftovers {
        List<String> now() throws IOException;
    }

    private void empty(String source, Leftovers leftovers) {
        try {
            Await.until(LIMIT, source + " report nothing allocated", () -> orError(leftovers), List::isEmpty);
            tally.count("end checks: nothing leaked in " + source);
        } catch (AssertionError e) {
            tally.violation("something leaked", source, String.valueOf(e.getMessage()));
        }
    }

    private static List<String> orError(Leftovers leftovers) {
        try {
            return leftovers.now();
        } catch (IOException | UncheckedIOException | StatusRuntimeException e) {
            return List.of("no response: " + e.getMessage());
        }
    }

    private static List<String> names(List<HeldCards> held) {
        return held.stream().map(HeldCards::toString).toList();
    }

    private List<String> ledger() throws IOException {
        JsonNode known = JSON.readTree(extender("/gpushare-scheduler/inspect")).path("nodes");
        List<String> left = new ArrayList<>();
        known.forEach(node -> node.path("devs").forEach(card -> {
            if (card.path("usedGPU").asInt() != 0
                    || card.path("whole").asBoolean()
                    || !card.path("pods").isEmpty()
                    || !card.path("health").asText().equals("healthy")) {
                left.add(node.path("name").asText() + " " + card);
            }
        }));
        if (known.size() != nodes.size()) {
            left.add("the extender knows " + known.size() + " nodes");
        }
        return left;
    }

    private List<String> metrics() throws IOException {
        Pattern zero =
                Pattern.compile("gpushare_(cluster_cards\\{.*\"overcommitted\"|extender_(unattributed|ledger)_pods).*");
        return extender("/metrics")
                .lines()
                .filter(line -> zero.matcher(line).matches() && !line.endsWith(" 0.0"))
                .toList();
    }

    private String extender(String path) throws IOException {
        var connection =
                URI.create("http://" + api.host() + ":32766" + path).toURL().openConnection();
        connection.setConnectTimeout(3000);
        connection.setReadTimeout(3000);
        try (var body = connection.getInputStream()) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private List<String> podResources() {
        List<String> left = new ArrayList<>();
        for (String node : nodes) {
            KubeletPodResources.devices(cluster.podResourcesSocket(node), ClusterWatcher.NAMESPACE, cards.resources())
                    .forEach((container, ids) -> left.add(node + " " + container + " " + ids));
        }
        return left;
    }

    private List<String> allocatable() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (String node : nodes) {
            JsonNode status = api.get("/api/v1/nodes/" + node).body().path("status");
            cards.offered(node, SLOTS_PER_CARD).forEach((resource, all) -> {
                boolean none = claims.serves(node);
                String amount = none ? "0" : all;
                // The kubelet keeps the capacity of a device plugin that has ended for five minutes.
                for (String field : none ? List.of("allocatable") : List.of("allocatable", "capacity")) {
                    String actual = status.path(field).path(resource).asText("0");
                    if (!actual.equals(amount)) {
                        wrong.add(node + " " + field + " " + resource + " is " + actual + ", not " + amount);
                    }
                }
            });
        }
        return wrong;
    }
}
