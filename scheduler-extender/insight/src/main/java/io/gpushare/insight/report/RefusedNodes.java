package io.gpushare.insight.report;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.insight.report.Explanation.NodeVerdict;
import io.gpushare.model.ledger.CardVerdict;
import io.gpushare.model.ledger.Obstacle;
import io.gpushare.model.ledger.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that can't take a pod for the same reason, with the same kind of card and the same obstacle there.
 *
 * @param model the model of the cards; empty if the reason is not in the cards
 * @param nodes the number of nodes
 * @param detail the obstacle in words, with the figures of the card that comes nearest to fitting; empty if the reason
 *     is not in the cards
 */
public record RefusedNodes(
        @JsonUnwrapped Reason reason,
        @JsonInclude(Include.NON_EMPTY) String model,
        int nodes,
        @JsonInclude(Include.NON_EMPTY) String detail) {
    private record Key(
            Reason reason, String model, @Nullable Verdict verdict) {}

    private record Group(Reason reason, @Nullable CardVerdict nearest, int nodes) {
        Group plus(Group other) {
            boolean nearer = nearest == null
                    || (other.nearest() != null && other.nearest().amount() > nearest.amount());
            return new Group(reason, nearer ? other.nearest() : nearest, nodes + other.nodes());
        }

        /** What the nearest card could give. */
        long mib() {
            return nearest == null
                    ? 0
                    : nearest.amount() * nearest.inventory().unit().size().mib();
        }

        String model() {
            return nearest == null ? "" : nearest.state().card().title();
        }

        // What is not in the cards comes after what is.
        Optional<Obstacle> kind() {
            return nearest != null && nearest.verdict() instanceof Obstacle obstacle
                    ? Optional.of(obstacle)
                    : Optional.empty();
        }
    }

    /** Nodes that the end of other pods would make fit come first, then the nearest miss. */
    private static final Comparator<Group> NEAREST_FIRST = Comparator.<Group, Boolean>comparing(
                    group -> !group.reason().resolvable())
            .thenComparing(group -> group.kind().isEmpty())
            .thenComparing(group -> group.kind().orElse(Obstacle.NOT_SELECTED))
            .thenComparing(Comparator.comparingLong(Group::mib).reversed())
            .thenComparing(Comparator.comparingInt(Group::nodes).reversed())
            .thenComparing(group -> group.reason().label())
            .thenComparing(Group::model);

    /** Groups the refused nodes, the nearest miss first. */
    static List<RefusedNodes> of(List<NodeVerdict> nodes) {
        Map<Key, Group> groups = new LinkedHashMap<>();
        for (NodeVerdict node : nodes) {
            @Nullable Reason why = node.why();
            if (why != null) {
                Optional<CardVerdict> obstacle = node.obstacle();
                groups.merge(
                        new Key(
                                why,
                                obstacle.map(each -> each.state().card().title())
                                        .orElse(""),
                                obstacle.map(CardVerdict::verdict).orElse(null)),
                        new Group(why, obstacle.orElse(null), 1),
                        Group::plus);
            }
        }
        List<RefusedNodes> refused = new ArrayList<>();
        for (Group group : groups.values().stream().sorted(NEAREST_FIRST).toList()) {
            @Nullable CardVerdict nearest = group.nearest();
            refused.add(new RefusedNodes(
                    group.reason(), group.model(), group.nodes(), nearest == null ? "" : nearest.ofNodes()));
        }
        return refused;
    }
}
