package io.gpushare.e2e.chaos.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The memory and the node of each card in the cluster.
 *
 * @param units units of memory by card UUID
 * @param nodes node names by card UUID
 */
public record ClusterCards(Map<String, Integer> units, Map<String, String> nodes) {
    private record Kind(String name, int gib) {}

    private static final List<Kind> EACH_NODE =
            List.of(new Kind("T4", 15), new Kind("A10", 22), new Kind("T4", 15), new Kind("T4", 15));
    public static final int PER_NODE = EACH_NODE.size();

    public ClusterCards {
        units = Map.copyOf(units);
        nodes = Map.copyOf(nodes);
    }

    public static ClusterCards of(List<String> nodes) {
        Map<String, Integer> units = new TreeMap<>();
        Map<String, String> nodeOf = new TreeMap<>();
        for (int node = 0; node < nodes.size(); node++) {
            for (int card = 0; card < PER_NODE; card++) {
                units.put(uuid(node, card), EACH_NODE.get(card).gib());
                nodeOf.put(uuid(node, card), nodes.get(node));
            }
        }
        return new ClusterCards(units, nodeOf);
    }

    static String uuid(int node, int card) {
        return "GPU-00000000-0000-4000-8000-0000000000%d%d".formatted(node + 1, card);
    }

    /** The simulated driver's lines for one node's cards. A card's fault is appended to its line. */
    public static List<String> lines(int node, Map<Integer, String> faults) {
        List<String> lines = new ArrayList<>();
        for (int card = 0; card < PER_NODE; card++) {
            Kind kind = EACH_NODE.get(card);
            lines.add("card kind=%s uuid=%s memory=%dGiB %s"
                    .formatted(kind.name(), uuid(node, card), kind.gib(), faults.getOrDefault(card, ""))
                    .strip());
        }
        return lines;
    }

    /** Another card of the same node, or one of another node. */
    public String other(String card, boolean sameNode) {
        String node = nodes.get(card);
        return nodes.keySet().stream()
                .filter(uuid -> !uuid.equals(card) && Objects.equals(nodes.get(uuid), node) == sameNode)
                .min(Comparator.naturalOrder())
                .orElseThrow();
    }

    int unitsOf(String node) {
        return units.entrySet().stream()
                .filter(card -> node.equals(nodes.get(card.getKey())))
                .mapToInt(Map.Entry::getValue)
                .sum();
    }
}
