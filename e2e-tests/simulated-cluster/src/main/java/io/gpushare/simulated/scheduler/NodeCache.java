package io.gpushare.simulated.scheduler;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.client.Quantities;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The scheduler's cache: the resources of each node and the requests of its pods, including assumed pods. */
final class NodeCache {
    private record Placed(String node, Map<String, BigDecimal> requests) {}

    private final Set<String> ignored;
    private final Map<String, ObjectNode> nodes = new TreeMap<>();
    private final Map<String, Map<String, BigDecimal>> requested = new HashMap<>();
    private final Map<String, Placed> pods = new HashMap<>();

    /** @param ignored the resources that decide nothing */
    NodeCache(Set<String> ignored) {
        this.ignored = ignored;
    }

    synchronized void node(String name, ObjectNode node) {
        nodes.put(name, node);
    }

    synchronized void nodeGone(String name) {
        nodes.remove(name);
    }

    /** Adds a pod to a node, once. */
    synchronized void place(PodDocument pod, String node) {
        if (pods.containsKey(pod.uid())) {
            return;
        }
        Map<String, BigDecimal> requests = new HashMap<>(pod.requests());
        requests.put("pods", BigDecimal.ONE);
        pods.put(pod.uid(), new Placed(node, requests));
        Map<String, BigDecimal> sum = requested.computeIfAbsent(node, _ -> new HashMap<>());
        requests.forEach((resource, amount) -> sum.merge(resource, amount, BigDecimal::add));
    }

    /** Removes a pod from its node; returns whether it was on one. */
    synchronized boolean remove(String uid) {
        Placed placed = pods.remove(uid);
        if (placed == null) {
            return false;
        }
        Map<String, BigDecimal> sum = requested.getOrDefault(placed.node(), new HashMap<>());
        placed.requests().forEach((resource, amount) -> sum.merge(resource, amount, BigDecimal::subtract));
        return true;
    }

    synchronized List<String> names() {
        return new ArrayList<>(nodes.keySet());
    }

    /** kube-scheduler's reasons why the pod does not fit the node; empty if it fits. */
    synchronized List<String> reasonsAgainst(String node, PodDocument pod) {
        ObjectNode document = nodes.get(node);
        if (document == null) {
            return List.of("node(s) were unschedulable");
        }
        Optional<String> rule = NodeRules.against(pod.document(), document);
        if (rule.isPresent()) {
            return List.of(rule.get());
        }
        Map<String, BigDecimal> allocatable =
                Quantities.of(document.path("status").path("allocatable"));
        Map<String, BigDecimal> used = requested.getOrDefault(node, Map.of());
        List<String> reasons = new ArrayList<>();
        Map<String, BigDecimal> required = new TreeMap<>(pod.requests());
        required.keySet().removeAll(ignored);
        required.put("pods", BigDecimal.ONE);
        required.forEach((resource, amount) -> {
            BigDecimal free = allocatable
                    .getOrDefault(resource, BigDecimal.ZERO)
                    .subtract(used.getOrDefault(resource, BigDecimal.ZERO));
            if (amount.signum() > 0 && amount.compareTo(free) > 0) {
                reasons.add(resource.equals("pods") ? "Too many pods" : "Insufficient " + resource);
            }
        });
        return reasons;
    }

    /** The framework's least-allocated score, 0 to 100, based only on the number of pods. */
    synchronized long leastAllocated(String node) {
        BigDecimal capacity = Quantities.of(nodes.getOrDefault(node, ApiClient.document())
                        .path("status")
                        .path("allocatable"))
                .getOrDefault("pods", BigDecimal.ONE);
        BigDecimal used = requested.getOrDefault(node, Map.of()).getOrDefault("pods", BigDecimal.ZERO);
        return Math.round(100 * (1 - used.doubleValue() / capacity.doubleValue()));
    }
}
