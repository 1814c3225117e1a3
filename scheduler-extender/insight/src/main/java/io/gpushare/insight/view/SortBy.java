package io.gpushare.insight.view;

import io.gpushare.insight.view.NodeDetails.OneCard;
import io.gpushare.insight.waste.PodOnCard;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;

/** The order of nodes, cards or pods in texts: by name, or those with most first. */
public enum SortBy {
    NAME,
    ALLOCATED,
    /** The most free memory on one card. */
    FREE,
    /** Nodes and pods without measured usage are the last. */
    USED,
    /** The most memory that is allocated and measured as unused. */
    UNUSED;

    /** The nodes in this order, and equal ones by name. */
    public List<NodeDetails> nodes(List<NodeDetails> nodes) {
        return sorted(
                nodes,
                switch (this) {
                    case NAME -> node -> 0;
                    case ALLOCATED -> node -> node.allocatedUnits() * node.unitMiB();
                    case FREE -> node -> node.freeOnOneCard() * node.unitMiB();
                    case USED -> node -> Objects.requireNonNullElse(node.usedBytes(), -1L);
                    case UNUSED -> NodeDetails::unusedBytes;
                },
                Comparator.comparing(NodeDetails::name));
    }

    /** A card, and its node. */
    public record CardOf(NodeDetails node, OneCard card) {
        private long bytes(long units) {
            return (units * node.unitMiB()) << 20;
        }
    }

    /** The cards of these nodes in this order, and equal ones by node and index. */
    public List<CardOf> cards(List<NodeDetails> nodes) {
        return sorted(
                nodes.stream()
                        .flatMap(node -> node.cards().stream().map(card -> new CardOf(node, card)))
                        .toList(),
                switch (this) {
                    case NAME -> of -> 0;
                    case ALLOCATED -> of -> of.bytes(of.card().allocatedUnits());
                    case FREE -> of -> of.bytes(of.card().freeUnits());
                    case USED ->
                        of -> Objects.requireNonNullElse(of.card().use().usedBytes(), -1L);
                    case UNUSED ->
                        of -> of.card().pods().stream()
                                .mapToLong(PodOnCard::unusedBytes)
                                .sum();
                },
                Comparator.comparing((CardOf of) -> of.node().name())
                        .thenComparingInt(of -> of.card().index()));
    }

    /** The pods in this order, and equal ones by name. */
    public List<PodOnCard> pods(List<PodOnCard> pods) {
        return sorted(
                pods,
                switch (this) {
                    case NAME, FREE -> pod -> 0;
                    case ALLOCATED -> PodOnCard::allocatedBytes;
                    case USED -> pod -> Objects.requireNonNullElse(pod.usedBytes(), -1L);
                    case UNUSED -> PodOnCard::unusedBytes;
                },
                Comparator.comparing(PodOnCard::pod, PodOnCard.BY_NAME));
    }

    private static <T> List<T> sorted(List<T> all, ToLongFunction<T> most, Comparator<T> then) {
        return all.stream()
                .sorted(Comparator.comparingLong(most).reversed().thenComparing(then))
                .toList();
    }
}
