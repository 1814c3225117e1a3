package io.gpushare.e2e.chaos.check;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.chaos.check.pod.HeldCards;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The memory and the node of each card in the cluster.
 *
 * @param units units of memory by card UUID
 * @param nodes node names by card UUID
 * @param cut whether the last card of each node has MIG instances
 */
public record ClusterCards(Map<String, Integer> units, Map<String, String> nodes, boolean cut) {
    private record Kind(String name, int gib) {}

    private static final List<Kind> EACH_NODE =
            List.of(new Kind("T4", 15), new Kind("A10", 22), new Kind("T4", 15), new Kind("T4", 15));
    public static final int PER_NODE = EACH_NODE.size();

    /** The units of the MIG instances of a cut card, by profile. */
    private static final Map<String, Integer> PROFILES = Map.of("2g.10gb", 9, "1g.5gb", 4);

    /** Less than a unit, and enough for the driver and MPS: so the units are the same with isolation and without. */
    private static final int KEPT_MIB = 700;

    private static final String CUT = "kind=A100-40 mig=2g.10gb,1g.5gb,1g.5gb";
    private static final String MIG = "nvidia.com/mig-";

    public ClusterCards {
        units = Map.copyOf(units);
        nodes = Map.copyOf(nodes);
    }

    /** The cards of these nodes, without MIG instances, whose UUIDs only the driver knows. */
    public static ClusterCards of(List<String> nodes, boolean cut) {
        Map<String, Integer> units = new TreeMap<>();
        Map<String, String> nodeOf = new TreeMap<>();
        for (int node = 0; node < nodes.size(); node++) {
            for (int card = 0; card < (cut ? PER_NODE - 1 : PER_NODE); card++) {
                units.put(uuid(node, card), EACH_NODE.get(card).gib());
                nodeOf.put(uuid(node, card), nodes.get(node));
            }
        }
        return new ClusterCards(units, nodeOf, cut);
    }

    /** With the MIG instances in the inventory of that node. */
    public ClusterCards with(String node, JsonNode inventory) {
        Map<String, Integer> more = new TreeMap<>(units);
        Map<String, String> nodeOf = new TreeMap<>(nodes);
        for (JsonNode card : inventory.path("cards")) {
            Integer amount = PROFILES.get(card.path("profile").asText());
            if (amount != null) {
                more.put(card.path("uuid").asText(), amount);
                nodeOf.put(card.path("uuid").asText(), node);
            }
        }
        return new ClusterCards(more, nodeOf, cut);
    }

    /** The profiles that pods can take. */
    public List<String> profiles() {
        return cut ? PROFILES.keySet().stream().sorted().toList() : List.of();
    }

    /** All resources of cards. */
    String[] resources() {
        return Stream.concat(
                        Stream.of(ClusterWatcher.MEMORY, ClusterWatcher.CARDS, ClusterWatcher.SLOTS),
                        profiles().stream().map(MIG::concat))
                .toArray(String[]::new);
    }

    /** What a node without pods offers, by resource. */
    Map<String, String> offered(String node, int slots) {
        List<String> cards = units.keySet().stream()
                .filter(card -> node.equals(nodes.get(card)))
                .toList();
        int units = cards.stream().mapToInt(this.units::get).sum();
        Map<String, String> offered = new TreeMap<>(Map.of(
                ClusterWatcher.MEMORY, String.valueOf(units),
                ClusterWatcher.CARDS,
                        String.valueOf(cards.stream()
                                .filter(card -> card.startsWith("GPU-"))
                                .count()),
                ClusterWatcher.SLOTS, String.valueOf(cards.size() * slots)));
        if (cut) {
            offered.put(MIG + "2g.10gb", "1");
            offered.put(MIG + "1g.5gb", "2");
        }
        return offered;
    }

    static String uuid(int node, int card) {
        return "GPU-00000000-0000-4000-8000-0000000000%d%d".formatted(node + 1, card);
    }

    /** The simulated driver's lines for one node's cards. A card's fault is appended to its line. */
    public List<String> lines(int node, Map<Integer, String> faults) {
        List<String> lines = new ArrayList<>();
        for (int card = 0; card < PER_NODE; card++) {
            Kind kind = EACH_NODE.get(card);
            String what = cut && card == PER_NODE - 1
                    ? CUT
                    : "kind=" + kind.name() + " memory=" + (kind.gib() * 1024 + KEPT_MIB) + "MiB";
            lines.add("card %s uuid=%s %s"
                    .formatted(what, uuid(node, card), faults.getOrDefault(card, ""))
                    .strip());
        }
        return lines;
    }

    /** The simulated driver's lines for a process on these cards of a node. */
    public List<String> processLines(int node, long pid, HeldCards held) {
        int gib = held.request().whole() ? 1 : held.request().amount();
        return IntStream.range(0, PER_NODE)
                .filter(card -> held.cards().contains(uuid(node, card)))
                .mapToObj(card -> "process pid=%d card=%d memory=%dGiB utilisation=10".formatted(pid, card, gib))
                .toList();
    }

    /** Another card of the same node, or one of another node. */
    public String other(String card, boolean sameNode) {
        String node = nodes.get(card);
        return nodes.keySet().stream()
                .filter(uuid -> !uuid.equals(card) && Objects.equals(nodes.get(uuid), node) == sameNode)
                .min(Comparator.naturalOrder())
                .orElseThrow();
    }
}
