package io.gpushare.simulated.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the fields of a pod's document that a kubelet and a scheduler use. The document must not be modified. */
public record PodDocument(ObjectNode document) {
    /** A container of the pod's spec; amounts have the resource's unit (cores, bytes, devices). */
    public record Container(
            String name,
            boolean init,
            boolean sidecar,
            Map<String, BigDecimal> limits,
            Map<String, BigDecimal> requests) {}

    public String namespace() {
        return text("metadata", "namespace");
    }

    public String name() {
        return text("metadata", "name");
    }

    /** The namespace and name, separated by a slash. */
    public String title() {
        return namespace() + "/" + name();
    }

    public String uid() {
        return text("metadata", "uid");
    }

    public String path() {
        return "/api/v1/namespaces/" + namespace() + "/pods/" + name();
    }

    /** Where Events of its namespace are created. */
    public String events() {
        return "/api/v1/namespaces/" + namespace() + "/events";
    }

    /** An Event of type Warning on the pod; the API server makes up its name. */
    public ObjectNode warning(String reason, String message, String component, Instant now) {
        String time = now.truncatedTo(ChronoUnit.SECONDS).toString();
        ObjectNode event = ApiClient.document()
                .put("apiVersion", "v1")
                .put("kind", "Event")
                .put("type", "Warning")
                .put("reason", reason)
                .put("message", message)
                .put("firstTimestamp", time)
                .put("lastTimestamp", time)
                .put("count", 1);
        event.putObject("metadata").put("namespace", namespace()).put("generateName", name() + ".");
        event.putObject("involvedObject")
                .put("apiVersion", "v1")
                .put("kind", "Pod")
                .put("namespace", namespace())
                .put("name", name())
                .put("uid", uid());
        event.putObject("source").put("component", component);
        return event;
    }

    public String node() {
        return text("spec", "nodeName");
    }

    /** The name of the scheduler that is responsible for the pod. */
    public String scheduler() {
        return text("spec", "schedulerName");
    }

    public String phase() {
        return text("status", "phase");
    }

    public boolean ended() {
        return phase().equals("Succeeded") || phase().equals("Failed");
    }

    public boolean beingDeleted() {
        return document.path("metadata").has("deletionTimestamp");
    }

    /** Whether it has scheduling gates, so that no scheduler tries it. */
    public boolean gated() {
        return !document.path("spec").path("schedulingGates").isEmpty();
    }

    public Instant created() {
        return Instant.parse(text("metadata", "creationTimestamp"));
    }

    public String annotation(String key) {
        return document.path("metadata").path("annotations").path(key).asText("");
    }

    /** The time after which the pod succeeds, as its annotation says, for example {@code 5s}; empty if it says none. */
    public Optional<Duration> runsFor() {
        try {
            return Optional.of(Duration.parse("PT" + annotation("sandbox.gpushare.io/run-for")));
        } catch (DateTimeParseException none) {
            return Optional.empty();
        }
    }

    /** The message of the PodScheduled condition while it is false, else empty. */
    public String waitingReason() {
        for (JsonNode condition : document.path("status").path("conditions")) {
            if (condition.path("type").asText().equals("PodScheduled")
                    && condition.path("status").asText().equals("False")) {
                return condition.path("message").asText("");
            }
        }
        return "";
    }

    /** All containers in the order of admission: init containers first. */
    public List<Container> containers() {
        List<Container> containers = new ArrayList<>();
        document.path("spec").path("initContainers").forEach(c -> containers.add(container(c, true)));
        document.path("spec").path("containers").forEach(c -> containers.add(container(c, false)));
        return containers;
    }

    private static Container container(JsonNode document, boolean init) {
        boolean sidecar = init && document.path("restartPolicy").asText("").equals("Always");
        JsonNode resources = document.path("resources");
        return new Container(
                document.path("name").asText(),
                init,
                sidecar,
                Quantities.of(resources.path("limits")),
                Quantities.of(resources.path("requests")));
    }

    /** The environment variables with plain values in a container's spec. */
    public Map<String, String> environment(String container) {
        Map<String, String> environment = new LinkedHashMap<>();
        for (String list : new String[] {"initContainers", "containers"}) {
            for (JsonNode candidate : document.path("spec").path(list)) {
                if (candidate.path("name").asText().equals(container)) {
                    candidate
                            .path("env")
                            .forEach(entry -> environment.put(
                                    entry.path("name").asText(),
                                    entry.path("value").asText("")));
                }
            }
        }
        return environment;
    }

    /**
     * The requests of the pod for scheduling: the sum over containers and sidecars, or the largest init container if
     * that is more.
     */
    public Map<String, BigDecimal> requests() {
        Map<String, BigDecimal> sum = new LinkedHashMap<>();
        for (Container container : containers()) {
            if (!container.init() || container.sidecar()) {
                container.requests().forEach((resource, amount) -> sum.merge(resource, amount, BigDecimal::add));
            }
        }
        for (Container container : containers()) {
            if (container.init() && !container.sidecar()) {
                container.requests().forEach((resource, amount) -> sum.merge(resource, amount, BigDecimal::max));
            }
        }
        return sum;
    }

    private String text(String first, String second) {
        return document.path(first).path(second).asText("");
    }
}
