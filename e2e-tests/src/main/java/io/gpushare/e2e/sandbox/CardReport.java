package io.gpushare.e2e.sandbox;

import io.gpushare.e2e.sandbox.ClusterSnapshot.Card;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Placed;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The allocations of each card over a round, and the table that reports them. */
final class CardReport {
    private static final class Usage {
        final Set<String> sharing = new TreeSet<>();
        final Set<String> whole = new TreeSet<>();
        int maxUnits;
        int maxSharing;
    }

    private final Map<String, Usage> cards = new HashMap<>();
    private final Map<ClusterSnapshot.Node, Boolean> nodes = new LinkedHashMap<>();

    void add(ClusterSnapshot snapshot) {
        nodes.clear();
        for (ClusterSnapshot.Node node : snapshot.nodes()) {
            nodes.put(node, true);
            node.cards().forEach(card -> add(snapshot, card));
        }
    }

    private void add(ClusterSnapshot snapshot, Card card) {
        Usage usage = cards.computeIfAbsent(card.uuid(), _ -> new Usage());
        int units = 0;
        int sharing = 0;
        for (Placed placed : snapshot.on(card)) {
            if (placed.takesWhole(card.uuid())) {
                usage.whole.add(placed.pod().name());
            } else {
                usage.sharing.add(placed.pod().name());
                units += placed.unitsOn(card.uuid());
                sharing++;
            }
        }
        usage.maxUnits = Math.max(usage.maxUnits, units);
        usage.maxSharing = Math.max(usage.maxSharing, sharing);
    }

    /**
     * Whether at least one card was shared by several pods at once, and one node had both a shared and a whole card.
     */
    boolean mixed() {
        boolean shared = cards.values().stream().anyMatch(card -> card.maxSharing > 1);
        boolean both = nodes.keySet().stream().anyMatch(this::servedBoth);
        return shared && both;
    }

    private boolean servedBoth(ClusterSnapshot.Node node) {
        boolean whole =
                node.cards().stream().anyMatch(card -> !usage(card).whole.isEmpty());
        boolean sharing =
                node.cards().stream().anyMatch(card -> !usage(card).sharing.isEmpty());
        return whole && sharing;
    }

    private Usage usage(Card card) {
        return cards.getOrDefault(card.uuid(), new Usage());
    }

    String table() {
        StringBuilder table = new StringBuilder(String.format(
                "%-8s %-4s %-30s %5s %5s %8s  %s%n", "node", "card", "model", "GiB", "peak", "at once", "pods"));
        for (ClusterSnapshot.Node node : nodes.keySet()) {
            for (Card card : node.cards()) {
                Usage usage = usage(card);
                String pods = String.join(" ", usage.sharing)
                        + (usage.whole.isEmpty()
                                ? ""
                                : (usage.sharing.isEmpty() ? "" : " ") + "[whole: " + String.join(" ", usage.whole)
                                        + "]");
                table.append(String.format(
                        "%-8s %-4d %-30s %5d %5d %8d  %s%n",
                        node.name(), card.index(), card.name(), card.units(), usage.maxUnits, usage.maxSharing, pods));
            }
        }
        return table.toString();
    }
}
