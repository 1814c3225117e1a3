package io.gpushare.simulation.suite;

import io.gpushare.extender.capacity.CardKind;
import io.gpushare.extender.capacity.FreeCard;
import io.gpushare.extender.capacity.FreeNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** One to three kinds of nodes, 5 to 60 nodes in all. */
record DrawnNodes(List<Kind> kinds) {
    private static final int MAX_NODES = 60;

    /**
     * Nodes that are equal but for their names.
     *
     * @param cpuPerCard thousandths of a CPU
     * @param memoryPerCard MiB of the node's memory
     */
    record Kind(int nodes, int cards, CardKind card, int cpuPerCard, int memoryPerCard) {
        long units() {
            return (long) nodes * cards * card.units();
        }
    }

    DrawnNodes {
        kinds = List.copyOf(kinds);
    }

    static DrawnNodes draw(Draw draw) {
        int count = draw.between(1, 3);
        boolean edge = draw.chance(0.15);
        boolean unequal = draw.chance(0.5);
        int usual = draw.oneOf(12, 16, 24, 24, 32, 48, 80);
        List<Kind> kinds = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int cards = edge ? 1 : draw.oneOf(1, 2, 4, 4, 8, 8);
            int units = unequal ? draw.oneOf(12, 16, 24, 32, 40, 48, 80) : usual;
            int most = (cards == 1 ? MAX_NODES : cards == 8 ? 24 : 40) / count;
            kinds.add(new Kind(
                    draw.between(5, Math.max(6, most)),
                    cards,
                    new CardKind("M" + (i + 1), units),
                    draw.between(8, 24) * 1000,
                    draw.between(32, 128) * 1024));
        }
        return new DrawnNodes(kinds);
    }

    /** The empty nodes; each salt gives them another fixed order. */
    List<FreeNode> nodes(long salt) {
        List<FreeNode> nodes = new ArrayList<>();
        for (Kind kind : kinds) {
            List<FreeCard> cards = new ArrayList<>();
            for (int card = 0; card < kind.cards; card++) {
                cards.add(FreeCard.unused(card, kind.card));
            }
            for (int node = 0; node < kind.nodes; node++) {
                nodes.add(FreeNode.of(
                        kind.card.model().toLowerCase(Locale.ROOT) + "-" + node,
                        salt,
                        (long) kind.cpuPerCard * kind.cards,
                        (long) kind.memoryPerCard * kind.cards,
                        cards));
            }
        }
        return nodes;
    }

    long units() {
        return kinds.stream().mapToLong(Kind::units).sum();
    }

    /** Memory units of the average card. */
    double cardUnits() {
        return (double) units()
                / kinds.stream().mapToInt(kind -> kind.nodes * kind.cards).sum();
    }

    int largestCard() {
        return kinds.stream().mapToInt(kind -> kind.card.units()).max().orElseThrow();
    }

    int mostCards() {
        return kinds.stream().mapToInt(Kind::cards).max().orElseThrow();
    }

    String describe() {
        return kinds.stream()
                .map(kind -> kind.nodes + " nodes × " + kind.cards + " cards of " + kind.card.units())
                .collect(Collectors.joining(", "));
    }
}
