package io.gpushare.simulated.scheduler;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;

/**
 * kube-scheduler's reasons why a pod may not have a node, whatever is free there: the plugins NodeUnschedulable,
 * TaintToleration and NodeAffinity, in its order.
 */
final class NodeRules {
    private static final String UNSCHEDULABLE = "node.kubernetes.io/unschedulable";

    private final JsonNode pod;
    private final JsonNode node;

    private NodeRules(ObjectNode pod, ObjectNode node) {
        this.pod = pod.path("spec");
        this.node = node;
    }

    /** The reason; empty if the pod may have the node. */
    static Optional<String> against(ObjectNode pod, ObjectNode node) {
        return new NodeRules(pod, node).reason();
    }

    private Optional<String> reason() {
        if (node.path("spec").path("unschedulable").asBoolean() && !tolerated(UNSCHEDULABLE, "", "NoSchedule")) {
            return Optional.of("node(s) were unschedulable");
        }
        for (JsonNode taint : node.path("spec").path("taints")) {
            String key = taint.path("key").asText();
            String value = taint.path("value").asText("");
            String effect = taint.path("effect").asText();
            if (!effect.equals("PreferNoSchedule") && !tolerated(key, value, effect)) {
                return Optional.of("node(s) had untolerated taint(s)");
            }
        }
        return selected() && affine()
                ? Optional.empty()
                : Optional.of("node(s) didn't match Pod's node affinity/selector");
    }

    private boolean tolerated(String key, String value, String effect) {
        return any(pod.path("tolerations"), toleration -> {
            String its = toleration.path("key").asText("");
            boolean exists = toleration.path("operator").asText("Equal").equals("Exists");
            String of = toleration.path("effect").asText("");
            return (of.isEmpty() || of.equals(effect))
                    && (its.isEmpty() ? exists : its.equals(key))
                    && (exists || toleration.path("value").asText("").equals(value));
        });
    }

    private boolean selected() {
        return pod.path("nodeSelector").properties().stream()
                .allMatch(label -> label(label.getKey()).equals(label.getValue()));
    }

    private boolean affine() {
        JsonNode required = pod.path("affinity")
                .path("nodeAffinity")
                .path("requiredDuringSchedulingIgnoredDuringExecution")
                .path("nodeSelectorTerms");
        return required.isMissingNode() || any(required, this::matches);
    }

    /** A term without conditions matches no node. */
    private boolean matches(JsonNode term) {
        JsonNode labels = term.path("matchExpressions");
        JsonNode fields = term.path("matchFields");
        return labels.size() + fields.size() > 0
                && all(
                        labels,
                        condition ->
                                holds(condition, label(condition.path("key").asText())))
                && all(
                        fields,
                        condition -> holds(condition, node.path("metadata").path("name")));
    }

    private static boolean holds(JsonNode condition, JsonNode value) {
        boolean present = !value.isMissingNode();
        boolean among = any(condition.path("values"), each -> each.equals(value));
        return switch (condition.path("operator").asText()) {
            case "In" -> present && among;
            case "NotIn" -> !among;
            case "Exists" -> present;
            case "DoesNotExist" -> !present;
            case "Gt" ->
                present && value.asLong() > condition.path("values").path(0).asLong();
            case "Lt" ->
                present && value.asLong() < condition.path("values").path(0).asLong();
            default -> false;
        };
    }

    private JsonNode label(String key) {
        return node.path("metadata").path("labels").path(key);
    }

    private static boolean any(JsonNode list, Predicate<JsonNode> which) {
        return StreamSupport.stream(list.spliterator(), false).anyMatch(which);
    }

    private static boolean all(JsonNode list, Predicate<JsonNode> which) {
        return StreamSupport.stream(list.spliterator(), false).allMatch(which);
    }
}
