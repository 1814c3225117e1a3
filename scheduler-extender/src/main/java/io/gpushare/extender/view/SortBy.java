package io.gpushare.extender.view;

import io.gpushare.extender.ledger.Ledger.NodeView;
import io.gpushare.extender.waste.CardView;
import io.gpushare.extender.waste.MemoryUsage.NodeUse;
import io.gpushare.extender.waste.PodOnCard;
import io.gpushare.model.ledger.CardState;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** The order of nodes or pods in texts: by name, or those with most first. */
public enum SortBy {
    NAME,
    ALLOCATED,
    /** The most free memory on one card. */
    FREE,
    USED,
    /** The most memory that is allocated and measured as unused. */
    UNUSED;

    /** The nodes in this order; nodes without measured usage are the last by usage. */
    public List<NodeView> nodes(List<NodeView> nodes, Map<String, NodeUse> usage) {
        Comparator<NodeView> byName = Comparator.comparing(NodeView::name);
        return switch (this) {
            case NAME -> nodes;
            case ALLOCATED ->
                sorted(nodes, node -> bytes(node, state -> state.occupied().units()), byName);
            case FREE -> sorted(nodes, SortBy::free, byName);
            case USED ->
                sorted(
                        nodes,
                        node -> use(node, usage).cards().values().stream()
                                .mapToLong(Long::longValue)
                                .sum(),
                        byName);
            case UNUSED ->
                sorted(
                        nodes,
                        node -> PodOnCard.of(node, use(node, usage)).stream()
                                .mapToLong(PodOnCard::unusedBytes)
                                .sum(),
                        byName);
        };
    }

    /** The pods in this order. */
    public List<PodOnCard> pods(List<PodOnCard> pods) {
        Comparator<PodOnCard> byName = Comparator.comparing(PodOnCard::pod, CardView.BY_NAME);
        return switch (this) {
            case NAME, FREE -> pods.stream().sorted(byName).toList();
            case ALLOCATED -> sorted(pods, PodOnCard::allocatedBytes, byName);
            case USED -> sorted(pods, pod -> pod.usedBytes() == null ? -1 : pod.usedBytes(), byName);
            case UNUSED -> sorted(pods, PodOnCard::unusedBytes, byName);
        };
    }

    private static <T> List<T> sorted(List<T> all, ToLongFunction<T> most, Comparator<T> then) {
        return all.stream()
                .sorted(Comparator.comparingLong(most).reversed().thenComparing(then))
                .toList();
    }

    private static NodeUse use(NodeView node, Map<String, NodeUse> usage) {
        return usage.getOrDefault(node.name(), NodeUse.UNKNOWN);
    }

    private static long bytes(NodeView node, ToLongFunction<CardState> units) {
        return node.cards().cards().stream().mapToLong(units).sum()
                * node.cards().inventory().unit().size().bytes();
    }

    private static long free(NodeView node) {
        return node.cards().cards().stream()
                        .mapToLong(state -> state.free().units())
                        .max()
                        .orElse(0)
                * node.cards().inventory().unit().size().bytes();
    }
}
