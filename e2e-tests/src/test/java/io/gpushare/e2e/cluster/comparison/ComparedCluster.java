package io.gpushare.e2e.cluster.comparison;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.cluster.ApiServer.Response;
import io.gpushare.e2e.cluster.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** One of the two clusters: it gets objects and requests, and what it says is written in words that can be compared. */
final class ComparedCluster {
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final Duration SETTLING = Duration.ofSeconds(20);

    private final Connection connection;

    /** Sends a request to the API server. */
    interface Connection {
        Response send(String method, String path, String body) throws IOException;
    }

    ComparedCluster(Connection connection) {
        this.connection = connection;
    }

    Response send(String method, String path, String body) {
        try {
            return connection.send(method, path, body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Creates the node, and returns what it offers, in quantities as they are stored. */
    String createNode(JsonNode node) {
        Response created = send("POST", "/api/v1/nodes", node.toString());
        return created.succeeded() ? "offers " + amounts(created.body().at("/status/allocatable")) : refusal(created);
    }

    /** Creates the pod, and returns how it is stored, or why it is rejected. */
    String create(JsonNode pod) {
        Response created = send("POST", PODS, pod.toString());
        return created.succeeded() ? "created" + stored(created.body()) : refusal(created);
    }

    private static String stored(JsonNode pod) {
        StringBuilder text = new StringBuilder();
        for (String list : new String[] {"initContainers", "containers"}) {
            for (JsonNode container : pod.path("spec").path(list)) {
                JsonNode resources = container.path("resources");
                text.append(", ")
                        .append(container.path("name").asText())
                        .append(" limits ")
                        .append(amounts(resources.path("limits")))
                        .append(" requests ")
                        .append(amounts(resources.path("requests")));
            }
        }
        return text + ", gates " + pod.at("/spec/schedulingGates") + ", " + condition(pod);
    }

    private static String amounts(JsonNode list) {
        // A real node of any version offers more than these.
        return StreamSupport.stream(list.properties().spliterator(), false)
                .filter(amount -> !amount.getKey().matches("ephemeral-storage|hugepages.*"))
                .map(amount -> amount.getKey() + "=" + amount.getValue())
                .sorted()
                .collect(Collectors.joining(",", "{", "}"));
    }

    /** Where the scheduler put the pod, or why it waits. */
    String settled(String name) {
        return decision(Await.until(
                SETTLING,
                "the scheduler has decided about " + name,
                () -> send("GET", PODS + "/" + name, "").body(),
                pod -> !decision(pod).endsWith("undecided")));
    }

    private static String decision(JsonNode pod) {
        String node = pod.at("/spec/nodeName").asText();
        return node.isEmpty() ? condition(pod) : "on " + node;
    }

    private static String condition(JsonNode pod) {
        for (JsonNode condition : pod.at("/status/conditions")) {
            // That of a pod whose gates are gone stays until the scheduler has looked at it.
            boolean stale = condition.path("reason").asText().equals("SchedulingGated")
                    && pod.at("/spec/schedulingGates").isEmpty();
            if (!stale && condition.path("type").asText().equals("PodScheduled")) {
                return condition.path("reason").asText() + ": "
                        + sorted(condition.path("message").asText());
            }
        }
        return pod.at("/spec/nodeName").asText().isEmpty() ? "undecided" : "on a node";
    }

    /** The reasons of the filters, without what the message says of preemption, which the simulation has not. */
    private static String sorted(String message) {
        String[] parts = message.replaceFirst("[.,] (no new claims|preemption:).*", ".")
                .replaceFirst("\\.$", "")
                .split(": ", 2);
        return parts.length < 2
                ? message
                : parts[0] + ": " + Arrays.stream(parts[1].split(", ")).sorted().collect(Collectors.joining(", "));
    }

    /** Carries out a request that follows, and returns the response. */
    String then(String name, String step) {
        String[] words = step.split(" ", 2);
        String path = PODS + "/" + name;
        return switch (words[0]) {
            case "SETTLE" -> settled(name);
            case "BIND" -> response(send("POST", path + "/binding", """
                {"apiVersion":"v1","kind":"Binding","metadata":{"name":"%s"},"target":{"kind":"Node","name":"%s"}}\
                """.formatted(name, words[1])));
            default -> response(send(words[0], path, words[1])) + remains(send("GET", path, ""));
        };
    }

    private static String response(Response response) {
        return response.succeeded() ? String.valueOf(response.code()) : refusal(response);
    }

    private static String remains(Response pod) {
        JsonNode metadata = pod.body().path("metadata");
        return !pod.succeeded()
                ? ", gone"
                : metadata.has("deletionTimestamp")
                        ? ", leaves with a grace of " + metadata.path("deletionGracePeriodSeconds")
                        : ", stays";
    }

    /** The code and the sentences, without the values, which the versions of Kubernetes write differently. */
    private static String refusal(Response response) {
        String message = response.body().path("message").asText();
        if (message.contains("quantities must match the regular expression")) {
            return response.code() + " quantities must match the regular expression";
        }
        return response.code() + " "
                + Arrays.stream(message.replaceAll("resource\\.Quantity\\{.*?Format:\"[A-Za-z]*\"}", "\"\"")
                                .replaceAll("Invalid value: \"[^\"]*\": ", "")
                                .replaceFirst("(?s)(may not change fields other than).*", "$1")
                                .replaceFirst(": \\[(.*)]$", ": $1")
                                .split(", (?=spec)"))
                        .collect(Collectors.joining("; "));
    }
}
