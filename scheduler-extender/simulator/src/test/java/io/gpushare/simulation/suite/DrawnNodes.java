package io.gpushare.simulation.suite;

import io.gpushare.extender.policy.KnownNode;
import io.gpushare.extender.policy.scoring.ClusterCapacity;
import io.gpushare.model.HostResources;
import io.gpushare.model.card.CardKind;
import io.gpushare.simulation.trace.MigProfile;
import io.gpushare.simulation.trace.TraceNodes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One to three kinds of nodes, 5 to 60 nodes in all.
 *
 * @param capacity of all their cards
 */
record DrawnNodes(List<Kind> kinds, ClusterCapacity capacity) {
    private static final int MAX_NODES = 60;

    /**
     * Nodes that are equal but for their names.
     *
     * @param cards of one node, cut or not
     * @param cpuPerCard thousandths of a CPU
     * @param memoryPerCard MiB of the node's memory
     * @param cut how many of the cards are cut into these instances
     */
    record Kind(
            int nodes, int cards, CardKind card, int cpuPerCard, int memoryPerCard, int cut, List<CardKind> instances) {
        Kind {
            instances = List.copyOf(instances);
        }

        /** Cards that are not cut. */
        int full() {
            return cards - cut;
        }

        /** The cards of one node as pods get them. */
        List<CardKind> each() {
            List<CardKind> each = new ArrayList<>(Collections.nCopies(full(), card));
            Collections.nCopies(cut, instances).forEach(each::addAll);
            return each;
        }

        /** The model of the cards, and those of the instances. */
        Set<String> models() {
            return each().stream().map(CardKind::model).collect(Collectors.toSet());
        }

        private Kind cut(int changed, MigLayout layout) {
            CardKind parent = new CardKind(card.model(), layout.gib());
            List<CardKind> parts = layout.of(card.model());
            return new Kind(nodes, cards, parent, cpuPerCard, memoryPerCard, changed, parts);
        }
    }

    DrawnNodes {
        kinds = List.copyOf(kinds);
    }

    private DrawnNodes(List<Kind> kinds) {
        this(kinds, KnownNode.capacity(nodes(kinds, 0)));
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
                    draw.between(32, 128) * 1024,
                    0,
                    List.of()));
        }
        return new DrawnNodes(kinds);
    }

    /** Such nodes, of which one or more kinds have cards that are cut, each into the same instances. */
    static DrawnNodes drawCut(Draw draw) {
        List<Kind> kinds = new ArrayList<>();
        for (Kind kind : draw(draw).kinds) {
            boolean cut = kinds.isEmpty() || draw.chance(0.5);
            kinds.add(cut ? kind.cut(draw.between(1, Math.max(1, kind.cards / 2)), MigLayout.draw(draw)) : kind);
        }
        return new DrawnNodes(kinds);
    }

    /** The empty nodes; each salt gives them another fixed order. */
    List<KnownNode> nodes(long salt) {
        return nodes(kinds, salt);
    }

    private static List<KnownNode> nodes(List<Kind> kinds, long salt) {
        List<KnownNode> nodes = new ArrayList<>();
        for (Kind kind : kinds) {
            for (int node = 0; node < kind.nodes; node++) {
                nodes.add(TraceNodes.node(
                        kind.card.model().toLowerCase(Locale.ROOT) + "-" + node,
                        salt,
                        new HostResources((long) kind.cpuPerCard * kind.cards, (long) kind.memoryPerCard * kind.cards),
                        kind.each()));
            }
        }
        return nodes;
    }

    long units() {
        return capacity.units();
    }

    /** Memory units of the average card that is not cut. */
    double cardUnits() {
        return capacity.cardUnits();
    }

    int largestCard() {
        return kinds.stream()
                .flatMap(kind -> kind.each().stream())
                .mapToInt(CardKind::units)
                .max()
                .orElseThrow();
    }

    /** The most cards of a node that are not cut. */
    int mostCards() {
        return kinds.stream().mapToInt(Kind::full).max().orElseThrow();
    }

    /** The number of instances of each kind. */
    Map<CardKind, Integer> instances() {
        Map<CardKind, Integer> instances = new LinkedHashMap<>();
        kinds.forEach(
                kind -> kind.instances.forEach(each -> instances.merge(each, kind.nodes * kind.cut, Integer::sum)));
        return instances;
    }

    String describe() {
        return kinds.stream()
                .map(kind -> kind.nodes + " nodes × " + kind.cards + " cards of " + kind.card.units()
                        + (kind.cut == 0 ? "" : " (" + kind.cut + " cut into " + profiles(kind.instances) + ")"))
                .collect(Collectors.joining(", "));
    }

    private static String profiles(List<CardKind> instances) {
        return instances.stream().map(kind -> MigProfile.profile(kind.model())).collect(Collectors.joining(" + "));
    }
}
