package io.gpushare.simulation.trace;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.gpushare.extender.pod.PodRequest;
import io.gpushare.model.card.CardKind;
import io.gpushare.model.card.Share;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The cards and pods of a live cluster, by the extender's view (VIEW.md): {@code nodes}, and {@code cluster} for the
 * pods that wait. Which nodes pods accept is not in it, but in the Nodes and Pods that kubectl prints. It knows no CPU,
 * so pods fit where their cards do. Cards that accept no pods are left out.
 */
public final class ClusterTrace {
    private static final int MAX_PODS = 1_000_000;
    private static final String UNKNOWN_RULES =
            "which nodes pods accept (selectors, affinity, taints) is not in the view: pods are placed wherever their"
                    + " cards are. Append the output of kubectl get nodes,pods -A -o json to a file with the view's"
                    + " responses, see SIMULATE.md";
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    /** What one pod has: parts of some cards or whole MIG instances, and whole cards. */
    private record Held(List<PodRequest> shares, int cards) {
        Held plus(PodRequest share) {
            List<PodRequest> all = new ArrayList<>(shares);
            all.add(share);
            return new Held(all, cards);
        }
    }

    private final String source;
    private final Map<String, List<CardKind>> cards = new LinkedHashMap<>();
    private final Map<String, Held> held = new LinkedHashMap<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private final NodePools pools = new NodePools();
    private @Nullable Integer unitMib;

    private record Waiting(String pod, PodRequest request) {}

    private ClusterTrace(String source) {
        this.source = source;
    }

    /**
     * Reads responses of the view, one after the other.
     *
     * @param source the address of an extender, such as {@code http://localhost:12345}, or a file with its responses
     */
    public static ClusterTrace read(String source) throws BadInputException {
        ClusterTrace trace = new ClusterTrace(source);
        try (ClusterSource responses = ClusterSource.open(source)) {
            for (JsonParser parser = responses.next(); parser != null; parser = responses.next()) {
                trace.responses(parser);
            }
        } catch (JsonProcessingException e) {
            throw new BadInputException(source + " is not JSON of the extender's view: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new BadInputException(source + " can't be read: " + e);
        }
        if (trace.cards.values().stream().allMatch(List::isEmpty)) {
            throw new BadInputException(source + " lists no card: save the response of /gpushare-scheduler/v1/nodes");
        }
        return trace;
    }

    /** The nodes, for pods that accept each of them. */
    public NodeTrace nodes() throws BadInputException {
        return nodes(cards);
    }

    private static NodeTrace nodes(Map<String, List<CardKind>> cards) throws BadInputException {
        NodeTrace nodes = NodeTrace.empty();
        for (Map.Entry<String, List<CardKind>> node : cards.entrySet()) {
            nodes.add(node.getKey(), node.getValue());
        }
        return nodes;
    }

    /** The nodes, and the pods on their cards, then those that wait. */
    public Workload workload() throws BadInputException {
        List<String> names = new ArrayList<>(held.keySet());
        waiting.forEach(each -> names.add(each.pod()));
        NodePools.Pools known = pools.of(cards, names);
        List<PodRequest> pods = new ArrayList<>();
        held.forEach((pod, each) -> {
            // A policy weighs one share a pod. A pod with shares of several cards counts as several pods.
            List<PodRequest> requests = new ArrayList<>(each.shares());
            if (each.cards() > 0) {
                PodRequest last = requests.isEmpty() ? share(0) : requests.removeLast();
                requests.add(new PodRequest(0, 0, last.share(), each.cards(), last.models()));
            }
            requests.forEach(request -> pods.add(accepting(known, pod, request)));
        });
        waiting.forEach(each -> pods.add(accepting(known, each.pod(), each.request())));
        if (pods.isEmpty()) {
            throw new BadInputException(source + " has no pods on its cards: name pods with --pods");
        }
        return Workload.of(nodes(known.cards()), pods, pools.known() ? "" : UNKNOWN_RULES);
    }

    private static PodRequest accepting(NodePools.Pools known, String pod, PodRequest request) {
        String profile =
                request.models().stream().map(MigProfile::profile).findFirst().orElse("");
        Set<String> models = known.models(pod, profile);
        return models.isEmpty() ? request : new PodRequest(0, 0, request.share(), request.cards(), models);
    }

    private void responses(JsonParser parser) throws IOException, BadInputException {
        parser.setCodec(JSON);
        for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
            if (token != JsonToken.START_OBJECT) {
                throw new BadInputException(source + " has no JSON object of the extender's view");
            }
            response(parser);
        }
    }

    private void response(JsonParser parser) throws IOException, BadInputException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String field = parser.currentName();
            JsonToken value = parser.nextToken();
            if (field.equals("nodes") && value == JsonToken.START_ARRAY) {
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    node(parser.readValueAsTree());
                }
            } else if (field.equals("items") && value == JsonToken.START_ARRAY) {
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    pools.add(parser.readValueAsTree());
                }
            } else if (field.equals("waiting") && value == JsonToken.START_OBJECT) {
                waiting(parser.readValueAsTree());
            } else {
                parser.skipChildren();
            }
        }
    }

    private void node(JsonNode node) throws BadInputException {
        List<CardKind> kinds = new ArrayList<>();
        for (JsonNode card : node.path("cards")) {
            if (!card.path("model").isTextual()) {
                return; // `cluster` has the nodes too, without their pods.
            }
            int units = card.path("units").asInt();
            String title = card.path("model").asText();
            String profile = MigProfile.profile(title);
            if (units > 0 && !card.has("unhealthy") && !card.has("cordoned") && !card.has("held")) {
                kinds.add(
                        profile.isEmpty()
                                ? new CardKind(title, units)
                                : CardKind.instance(MigProfile.title(MigProfile.model(title), profile), units));
            }
            for (JsonNode pod : card.path("pods")) {
                pod(pod, profile);
            }
        }
        int unit = node.path("unitMiB").asInt();
        if (unitMib != null && unitMib != unit) {
            throw new BadInputException(source + " has nodes with units of " + unitMib + " MiB and of " + unit
                    + " MiB: a plan needs one --memory-unit");
        }
        unitMib = unit;
        String name = node.path("name").asText();
        if (cards.put(name, kinds) != null) {
            throw new BadInputException("there are two nodes " + name + ": name each response once");
        }
    }

    /** @param profile of the card that the pod holds; empty if that is no instance */
    private void pod(JsonNode pod, String profile) throws BadInputException {
        String name = name(pod);
        int units = pod.path("units").asInt();
        if (units > 0) {
            Held before = held.getOrDefault(name, new Held(List.of(), 0));
            boolean whole = pod.path("whole").asBoolean();
            held.put(
                    name,
                    whole && profile.isEmpty()
                            ? new Held(before.shares(), before.cards() + 1)
                            : before.plus(whole ? instance(profile, units) : share(units)));
        }
        if (held.size() > MAX_PODS) {
            throw new BadInputException(source + " has more than " + MAX_PODS + " pods");
        }
    }

    private static String name(JsonNode pod) {
        return pod.path("namespace").asText() + "/" + pod.path("name").asText();
    }

    private static PodRequest share(int units) {
        return new PodRequest(0, 0, units, 0, Set.of());
    }

    /** A pod that takes an instance of that profile of any card. */
    private static PodRequest instance(String profile, int units) {
        return new PodRequest(0, 0, Share.INSTANCE.withUnits(units), 0, Set.of(MigProfile.title("", profile)));
    }

    private void waiting(JsonNode queue) {
        for (JsonNode pod : queue.path("pods")) {
            JsonNode demand = queue.path("demands").path(pod.path("demand").asInt(-1));
            int units = Math.max(0, demand.path("units").asInt());
            int cards = Math.max(0, demand.path("wholeCards").asInt());
            if (demand.path("profile").isTextual()) {
                PodRequest instance = instance(demand.path("profile").asText(), 0);
                waiting.addAll(
                        Collections.nCopies(Math.min(cards, NodeTrace.MAX_CARDS), new Waiting(name(pod), instance)));
                continue;
            }
            for (int i = 1; i < Math.min(demand.path("sharedCards").asInt(), NodeTrace.MAX_CARDS); i++) {
                waiting.add(new Waiting(name(pod), share(units)));
            }
            if (units > 0 || cards > 0) {
                waiting.add(new Waiting(name(pod), new PodRequest(0, 0, units, cards, Set.of())));
            }
        }
    }
}
