package io.gpushare.simulated.scheduler;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** kube-scheduler's client of the extender protocol (pkg/scheduler/extender.go), with nodeCacheCapable. */
final class ExtenderClient implements AutoCloseable {
    /** Thrown if the extender fails or reports an error; the attempt ends with a SchedulerError. */
    static final class Failure extends Exception {
        private static final long serialVersionUID = 1;

        private final String reason;

        Failure(String reason) {
            super(reason);
            this.reason = reason;
        }

        String reason() {
            return reason;
        }
    }

    /** The feasible nodes, and the reason for every other node. */
    record Filtered(List<String> nodes, Map<String, String> failed) {}

    private static final Logger LOG = LoggerFactory.getLogger(ExtenderClient.class);
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final ExtenderConfig options;
    private final ExtenderWire wire;

    ExtenderClient(ExtenderConfig options, ExtenderWire wire) {
        this.options = options;
        this.wire = wire;
    }

    /** Whether any container names a managed resource. */
    boolean interestedIn(PodDocument pod) {
        return pod.containers().stream()
                .anyMatch(container -> options.managed().stream()
                        .anyMatch(resource -> container.requests().containsKey(resource)
                                || container.limits().containsKey(resource)));
    }

    Filtered filter(PodDocument pod, List<String> nodes) throws Failure, InterruptedException {
        JsonNode answer = send("filter", arguments(pod, nodes));
        String error = field(answer, "Error").asText("");
        if (!error.isEmpty()) {
            throw new Failure(error);
        }
        List<String> passed = new ArrayList<>();
        for (JsonNode node : field(answer, "NodeNames")) {
            if (!nodes.contains(node.asText())) {
                throw new Failure("extender \"" + options.urlPrefix() + "\" claims a filtered node \"" + node.asText()
                        + "\" which is not found in the input node list");
            }
            passed.add(node.asText());
        }
        Map<String, String> failed = new LinkedHashMap<>();
        for (String list : new String[] {"FailedNodes", "FailedAndUnresolvableNodes"}) {
            field(answer, list)
                    .properties()
                    .forEach(
                            entry -> failed.put(entry.getKey(), entry.getValue().asText()));
        }
        return new Filtered(passed, failed);
    }

    /** The weighted scores on the framework's scale. A failure is ignored, as in kube-scheduler. */
    Map<String, Long> prioritize(PodDocument pod, List<String> nodes) throws InterruptedException {
        Map<String, Long> scores = new LinkedHashMap<>();
        try {
            for (JsonNode host : send("prioritize", arguments(pod, nodes))) {
                JsonNode score = field(host, "Score");
                if (!score.isIntegralNumber()) {
                    throw new Failure("Score is no integer: " + host);
                }
                scores.put(field(host, "Host").asText(), score.asLong() * options.weight() * 10);
            }
            return scores;
        } catch (Failure e) {
            LOG.warn("prioritize is ignored: {}", e.getMessage());
            return Map.of();
        }
    }

    void bind(PodDocument pod, String node) throws Failure, InterruptedException {
        ObjectNode arguments = ApiClient.document();
        arguments
                .put("PodName", pod.name())
                .put("PodNamespace", pod.namespace())
                .put("PodUID", pod.uid())
                .put("Node", node);
        String error = field(send("bind", arguments), "Error").asText("");
        if (!error.isEmpty()) {
            throw new Failure(error);
        }
    }

    private static ObjectNode arguments(PodDocument pod, Collection<String> nodes) {
        ObjectNode document = pod.document().deepCopy();
        document.remove(List.of("kind", "apiVersion"));
        ObjectNode arguments = ApiClient.document();
        arguments.set("Pod", document);
        arguments.putNull("Nodes");
        nodes.forEach(arguments.putArray("NodeNames")::add);
        return arguments;
    }

    private JsonNode send(String verb, ObjectNode arguments) throws Failure, InterruptedException {
        String uri = options.urlPrefix() + "/" + verb;
        byte[] body = arguments.toString().getBytes(StandardCharsets.UTF_8);
        try {
            ExtenderWire.Response response = wire.call(verb, body, options.timeout());
            if (response.code() != 200) {
                throw new Failure("failed " + verb + " with extender at URL " + uri + ", code " + response.code());
            }
            return MAPPER.readTree(response.body());
        } catch (JsonProcessingException e) {
            throw new Failure(verb + " answered no JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new Failure("Post \"" + uri + "\": " + e.getMessage());
        }
    }

    /** Reads a field by its name in any case, as Go's decoder does. */
    private static JsonNode field(JsonNode object, String name) {
        for (var entry : object.properties()) {
            if (entry.getKey().equalsIgnoreCase(name)) {
                return entry.getValue();
            }
        }
        return MissingNode.getInstance();
    }

    @Override
    public void close() {
        wire.close();
    }
}
