package io.gpushare.e2e.sandbox.migration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.sandbox.migration.HamiDevices.Device;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * HAMi's scheduler extender (pkg/scheduler/scheduler.go): filter chooses the node and the cards and writes both on the
 * pod, and bind locks the node until HAMi's device plugin has given the pod its cards. It packs nodes and spreads
 * cards.
 */
final class HamiScheduler implements AutoCloseable {
    private static final int ALL_CORES = 100;

    private final ClusterApi cluster;
    private final ExtenderServer server;
    private final Map<String, Map<String, Card>> nodes = new TreeMap<>();

    private record Card(String uuid, int mib, int slots) {}

    /** What containers have of a card. */
    record Use(int containers, int mib, int cores) {
        static final Use NONE = new Use(0, 0, 0);

        Use plus(Device device) {
            return new Use(containers + 1, mib + device.mib(), cores + device.cores());
        }
    }

    HamiScheduler(ClusterApi cluster) throws IOException {
        this.cluster = cluster;
        server = new ExtenderServer(this::filter, this::bind);
    }

    URI uri() {
        return server.uri();
    }

    /** What this scheduler counts of the node's cards, by UUID; empty if it does not know the node. */
    synchronized Map<String, Use> uses(String node) {
        register();
        return uses(node, "");
    }

    /** A minute passes in which no device plugin of HAMi reports from the node. */
    synchronized void forget(String node) {
        register();
        cluster.annotateNode(node, Map.of(HamiDevices.HANDSHAKE, "Deleted_" + Instant.now()));
        nodes.remove(node);
    }

    /** Takes the cards of each node that was reported since the last time. */
    private void register() {
        for (String node : cluster.nodes()) {
            String handshake = cluster.annotation(node, HamiDevices.HANDSHAKE);
            if (!handshake.contains("Requesting") && !handshake.contains("Deleted")) {
                cluster.annotateNode(node, Map.of(HamiDevices.HANDSHAKE, "Requesting_" + Instant.now()));
                String register = cluster.annotation(node, HamiDevices.REGISTER);
                Map<String, Card> cards = new LinkedHashMap<>();
                for (JsonNode card : ApiClient.document("{\"cards\":" + (register.isEmpty() ? "[]" : register) + "}")
                        .path("cards")) {
                    String uuid = card.path("id").asText();
                    cards.put(
                            uuid,
                            new Card(
                                    uuid,
                                    card.path("devmem").asInt(),
                                    card.path("count").asInt()));
                }
                if (!cards.isEmpty()) {
                    nodes.put(node, cards);
                }
            }
        }
    }

    private Map<String, Use> uses(String node, String exceptUid) {
        Map<String, Use> uses = new TreeMap<>();
        nodes.getOrDefault(node, Map.of()).keySet().forEach(card -> uses.put(card, Use.NONE));
        cluster.pods().stream()
                .filter(pod -> pod.annotation(HamiDevices.NODE).equals(node))
                .filter(pod -> !pod.ended() && !pod.uid().equals(exceptUid))
                .flatMap(pod -> HamiDevices.read(pod, HamiDevices.ALLOCATED).stream())
                .flatMap(List::stream)
                .forEach(device -> uses.computeIfPresent(device.card(), (_, use) -> use.plus(device)));
        return uses;
    }

    private synchronized ObjectNode filter(ObjectNode arguments) {
        register();
        PodDocument pod = new PodDocument((ObjectNode) arguments.path("Pod"));
        ObjectNode answer = ApiClient.document().put("Error", "");
        var passed = answer.putArray("NodeNames");
        ObjectNode failed = answer.putObject("FailedNodes");
        @Nullable String best = null;
        for (JsonNode each : arguments.path("NodeNames")) {
            String node = each.asText();
            if (!nodes.containsKey(node)) {
                failed.put(node, "node unregistered");
            } else if (place(pod, node).isEmpty()) {
                failed.put(node, "NodeUnfitPod");
            } else if (best == null || containers(node) > containers(best)) {
                best = node;
            }
        }
        if (best != null) {
            String devices = HamiDevices.write(place(pod, best).orElseThrow());
            cluster.annotate(
                    pod,
                    Map.of(
                            HamiDevices.NODE,
                            best,
                            HamiDevices.CHOSEN_AT,
                            seconds(),
                            HamiDevices.TO_ALLOCATE,
                            devices,
                            HamiDevices.ALLOCATED,
                            devices));
            passed.add(best);
        }
        return answer;
    }

    private int containers(String node) {
        return uses(node, "").values().stream().mapToInt(Use::containers).sum();
    }

    /** The cards of each container of the pod on that node; empty if it does not fit. */
    private Optional<List<List<Device>>> place(PodDocument pod, String node) {
        Map<String, Use> uses = uses(node, pod.uid());
        List<List<Device>> containers = new ArrayList<>();
        for (PodDocument.Container container : pod.containers()) {
            HamiRequest request = HamiRequest.of(container);
            List<Device> devices = new ArrayList<>();
            Set<String> own = new HashSet<>();
            for (int i = 0; i < request.cards(); i++) {
                Optional<Device> device = nodes.getOrDefault(node, Map.of()).values().stream()
                        .filter(card -> !own.contains(card.uuid()))
                        .filter(card -> fits(request, card, uses.getOrDefault(card.uuid(), Use.NONE)))
                        .min(Comparator.comparingInt(
                                card -> uses.getOrDefault(card.uuid(), Use.NONE).containers()))
                        .map(card -> new Device(card.uuid(), request.mibOf(card.mib()), request.coresOf(card.mib())));
                if (device.isEmpty()) {
                    return Optional.empty();
                }
                devices.add(device.get());
                own.add(device.get().card());
                uses.computeIfPresent(device.get().card(), (_, use) -> use.plus(device.get()));
            }
            containers.add(devices);
        }
        return Optional.of(containers);
    }

    private static boolean fits(HamiRequest request, Card card, Use use) {
        int cores = request.coresOf(card.mib());
        return use.containers() < card.slots()
                && use.mib() + request.mibOf(card.mib()) <= card.mib()
                && use.cores() + cores <= ALL_CORES
                && !(cores == ALL_CORES && use.containers() > 0)
                && !(cores == 0 && use.cores() == ALL_CORES);
    }

    private synchronized ObjectNode bind(ObjectNode arguments) {
        String node = arguments.path("Node").asText();
        PodDocument pod = cluster.pod(arguments.path("PodName").asText());
        lock(node, pod);
        cluster.annotate(pod, Map.of(HamiDevices.PHASE, HamiDevices.ALLOCATING, HamiDevices.BOUND_AT, seconds()));
        cluster.bind(pod, node);
        return ApiClient.document().put("Error", "");
    }

    /** Locks the node for the pod, unless another pod that exists holds it: five minutes pass in no test. */
    private void lock(String node, PodDocument pod) {
        String locked = cluster.annotation(node, HamiDevices.LOCK);
        Set<String> names = cluster.pods().stream().map(PodDocument::name).collect(Collectors.toSet());
        if (!locked.isEmpty() && names.contains(locked.substring(locked.lastIndexOf(',') + 1))) {
            throw new IllegalStateException("node " + node + " has been locked within 5m0s");
        }
        cluster.annotateNode(node, Map.of(HamiDevices.LOCK, Instant.now() + "," + pod.namespace() + "," + pod.name()));
    }

    private static String seconds() {
        return String.valueOf(Instant.now().getEpochSecond());
    }

    @Override
    public void close() {
        server.close();
    }
}
