package io.gpushare.e2e.sandbox;

import io.gpushare.e2e.sandbox.ClusterSnapshot.Card;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Placed;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What each card did over a round: who shared it, how full it was, who had it whole; and the table that says so. */
final class CardReport {
    private static final class OfCard {
        final Set<String> sharing = new TreeSet<>();
        final Set<String> whole = new TreeSet<>();
        int mostUnits;
        int mostAtOnce;
    }

    private final Map<String, OfCard> cards = new HashMap<>();
    private final Map<ClusterSnapshot.Node, Boolean> nodes = new LinkedHashMap<>();

    void add(ClusterSnapshot snapshot) {
        nodes.clear();
        for (ClusterSnapshot.Node node : snapshot.nodes()) {
            nodes.put(node, true);
            node.cards().forEach(card -> add(snapshot, card));
        }
    }

    private void add(ClusterSnapshot snapshot, Card card) {
        OfCard of = cards.computeIfAbsent(card.uuid(), _ -> new OfCard());
        int units = 0;
        int sharing = 0;
        for (Placed placed : snapshot.on(card)) {
            if (placed.takesWhole(card.uuid())) {
                of.whole.add(placed.pod().name());
            } else {
                of.sharing.add(placed.pod().name());
                units += placed.unitsOn(card.uuid());
                sharing++;
            }
        }
        of.mostUnits = Math.max(of.mostUnits, units);
        of.mostAtOnce = Math.max(of.mostAtOnce, sharing);
    }

    /** Whether some card was shared by several pods at once and some node had a shared and a whole card. */
    boolean mixed() {
        boolean shared = cards.values().stream().anyMatch(card -> card.mostAtOnce > 1);
        boolean both = nodes.keySet().stream().anyMatch(this::servedBoth);
        return shared && both;
    }

    private boolean servedBoth(ClusterSnapshot.Node node) {
        boolean whole = node.cards().stream().anyMatch(card -> !of(card).whole.isEmpty());
        boolean sharing =
                node.cards().stream().anyMatch(card -> !of(card).sharing.isEmpty());
        return whole && sharing;
    }

    private OfCard of(Card card) {
        return cards.getOrDefault(card.uuid(), new OfCard());
    }

    String table() {
        StringBuilder table = new StringBuilder(String.format(
                "%-8s %-4s %-26s %5s %5s %8s  %s%n", "node", "card", "model", "units", "peak", "at once", "pods"));
        for (ClusterSnapshot.Node node : nodes.keySet()) {
            for (Card card : node.cards()) {
                OfCard of = of(card);
                String pods = String.join(" ", of.sharing)
                        + (of.whole.isEmpty()
                                ? ""
                                : (of.sharing.isEmpty() ? "" : " ") + "[whole: " + String.join(" ", of.whole) + "]");
                table.append(String.format(
                        "%-8s %-4d %-26s %5d %5d %8d  %s%n",
                        node.name(), card.index(), card.model(), card.units(), of.mostUnits, of.mostAtOnce, pods));
            }
        }
        return table.toString();
    }
}
