package io.gpushare.insight.report;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.ClusterState.NodeView;
import io.gpushare.insight.scaleup.ScaleUp;
import io.gpushare.model.Demand;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.NoCards;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.node.NodeRules;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Phrases that all texts for users share. */
public final class Phrases {
    private Phrases() {}

    /**
     * For example {@code 8 GiB of memory on one card}, with units of another size {@code 7.5 GiB (30 units of 256
     * MiB)}.
     *
     * @param unit that of all nodes with cards; null if it differs, and then the amount is {@code 30 units}
     */
    public static String of(Demand demand, @Nullable MemoryUnit unit) {
        List<String> parts = new ArrayList<>();
        if (demand.total().units() > 0) {
            int units = demand.share().units();
            String amount = unit == null ? count(units, "unit") : unit.requested(units);
            parts.add(amount + " of memory on "
                    + (demand.split() == 1 ? "one card" : "each of " + demand.split() + " cards"));
        }
        if (demand.total().part() > 0) {
            parts.add(demand.share().part() + "% of the memory of "
                    + (demand.split() == 1 ? "one card" : "each of " + demand.split() + " cards"));
        }
        ShareKind.PERCENTS.stream()
                .filter(kind -> kind.in(demand.total()) > 0)
                .forEach(kind -> parts.add(kind.in(demand.share()) + "% of its " + kind));
        if (demand.total().wholeCards() > 0) {
            parts.add(count(demand.total().wholeCards(), "whole card"));
        }
        if (demand.instances()) {
            parts.add(count(demand.total().instances(), "MIG instance"));
        }
        String select = demand.selector().any() ? "" : ", selected by " + demand.selector();
        return String.join(" and ", parts) + select;
    }

    /** On which nodes, for example {@code , on nodes with pool=research}; empty for all that it tolerates. */
    public static String of(NodeRules nodes) {
        String labels = new TreeMap<>(nodes.selector())
                .entrySet().stream()
                        .map(label -> label.getKey() + "=" + label.getValue())
                        .collect(Collectors.joining(", "));
        return (labels.isEmpty() ? "" : ", on nodes with " + labels)
                + (nodes.terms() == null ? "" : ", by its node affinity");
    }

    /** Why the node can take no new pod, with what the driver reported and what to do; null if it can. */
    public static @Nullable String unusable(NodeView node) {
        @Nullable Reason reason = node.unusable();
        @Nullable NoCards none = node.cards().inventory().noCards();
        // Pods get its cards, if by claims only.
        boolean gives = reason == null || reason.equals(Reason.SERVES_CLAIMS);
        if (node.shut() != null && (gives || Reason.NOT_RENEWED.equals(reason))) {
            return "node " + node.shut().sentence();
        }
        if (reason == null || gives) {
            return null;
        }
        return none != null && reason.equals(Reason.noCards(none.cause())) ? none.sentences() : reason.sentence();
    }

    /** Which new nodes would let the pod run, as a sentence. */
    public static String of(ScaleUp scaleUp, @Nullable MemoryUnit unit) {
        return switch (scaleUp) {
            case ScaleUp.MoreLike(int nodes, String like, String cards, int before, boolean group) ->
                count(nodes, "more node") + " like " + like + " (" + cards + ") would let "
                        + (group ? "all pods of its group" : "it") + " run"
                        + (before == 0
                                ? ""
                                : ", after " + count(before, "waiting pod") + " that "
                                        + (before == 1 ? "comes" : "come") + " before it")
                        + ".";
            case ScaleUp.OtherNode(Demand demand) ->
                "The pod accepts no new node like those of the cluster that could take it: it needs one with the labels"
                        + " and taints that it accepts, that offers " + of(demand, unit) + ".";
            case ScaleUp.OtherKind(Demand demand, int kinds) ->
                (kinds == 0
                                ? "No node of the cluster has cards"
                                : "As it is requested now, no kind of node in the cluster could take it, even when"
                                        + " empty")
                        + ": it needs a new node that offers " + of(demand, unit) + ".";
        };
    }

    /** An amount of memory. */
    public static String size(long bytes) {
        return new Memory(bytes).text();
    }

    /** The same; a dash for an unknown amount. */
    public static String sizeOrDash(@Nullable Long bytes) {
        return bytes == null ? "-" : size(bytes);
    }

    /** A measured value with its unit, as nvidia-smi writes it, such as {@code 64C}; a dash for an unknown one. */
    public static String valueOrDash(@Nullable Number value, String unit) {
        return value == null ? "-" : value + unit;
    }

    /** A duration in its largest unit, such as {@code 45 min}. The page rounds in the same way. */
    public static String duration(long seconds) {
        return seconds < 90
                ? seconds + " s"
                : seconds < 5400
                        ? Math.round(seconds / 60.0) + " min"
                        : seconds < 172_800
                                ? Math.round(seconds / 3600.0) + " h"
                                : Math.round(seconds / 86_400.0) + " d";
    }

    public static String count(long count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }
}
