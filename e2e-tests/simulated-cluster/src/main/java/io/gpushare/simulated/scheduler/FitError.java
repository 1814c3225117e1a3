package io.gpushare.simulated.scheduler;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** kube-scheduler's message for a pod that fits no node: the number of nodes for each reason, sorted by text. */
final class FitError {
    private final Map<String, Integer> reasons = new TreeMap<>();
    private final int nodes;

    FitError(int nodes) {
        this.nodes = nodes;
    }

    void add(String reason) {
        reasons.merge(reason, 1, Integer::sum);
    }

    String message() {
        if (nodes == 0) {
            return "no nodes available to schedule pods";
        }
        List<String> counted = new ArrayList<>();
        reasons.forEach((reason, count) -> counted.add(count + " " + reason));
        counted.sort(null);
        return "0/" + nodes + " nodes are available: " + String.join(", ", counted) + ".";
    }
}
