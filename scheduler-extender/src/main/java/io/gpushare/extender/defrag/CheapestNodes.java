package io.gpushare.extender.defrag;

import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.placement.FreeNodes;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.policy.PolicyKind;
import io.gpushare.extender.policy.scoring.Scoring;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The node that a policy chooses, as filter does: the cheapest, and among equal ones the first in {@link FreeNode#ORDER}. The
 * costs of nodes that did not change are computed once for each kind of pod.
 */
final class CheapestNodes {
    /** Kinds of pods in one search: the costs of one take up to some tenths of a second at 5,000 nodes. */
    static final int MOST_KINDS = 16;

    private static final Comparator<Priced> ORDER = Comparator.<Priced>comparingDouble(
                    node -> Math.rint(node.cost() / Scoring.SAME))
            .thenComparing(Priced::node, FreeNode.ORDER);

    private final Map<String, NodeEntry> nodes;
    private final Function<@Nullable PolicyKind, Scoring> scorings;
    private final Map<@Nullable PolicyKind, Scoring> known = new HashMap<>();
    private final Map<Kind, List<Priced>> kinds = new HashMap<>();
    private boolean limited;

    private record Kind(@Nullable PolicyKind policy, PodRequest request) {}

    private record Priced(String name, FreeNode node, double cost) {}

    CheapestNodes(Map<String, NodeEntry> nodes, Function<@Nullable PolicyKind, Scoring> scorings) {
        this.nodes = nodes;
        this.scorings = scorings;
    }

    /** The scoring of that policy, the same during the search. */
    Scoring scoring(@Nullable PolicyKind policy) {
        return known.computeIfAbsent(policy, scorings);
    }

    /**
     * The node that the policy of the demand chooses; empty if none takes it, or if there were too many kinds of pods.
     *
     * @param changed the nodes that are not as they were when the search began
     */
    Optional<String> cheapest(
            PodDemand.Valid demand, Map<String, NodeEntry> changed, BiPredicate<String, NodeEntry> takes) {
        Kind kind = new Kind(demand.policy(), demand.request());
        if (kinds.size() >= MOST_KINDS && !kinds.containsKey(kind)) {
            limited = true;
            return Optional.empty();
        }
        Stream<Priced> first = kinds
                .computeIfAbsent(kind, any -> priced(any, nodes).sorted(ORDER).toList())
                .stream()
                .filter(node -> !changed.containsKey(node.name()))
                .filter(node -> takes.test(node.name(), nodes.get(node.name())))
                .limit(1);
        Stream<Priced> others = priced(kind, changed).filter(node -> takes.test(node.name(), changed.get(node.name())));
        return Stream.concat(first, others).min(ORDER).map(Priced::name);
    }

    /** Whether a pod got no node because there were too many kinds of pods. */
    boolean limited() {
        return limited;
    }

    /** Those of the nodes that have the CPU and memory, and cards, for that kind of pod. */
    private Stream<Priced> priced(Kind kind, Map<String, NodeEntry> some) {
        Scoring scoring = scoring(kind.policy());
        return some.entrySet().stream()
                .map(node -> new Priced(
                        node.getKey(),
                        FreeNodes.of(node.getKey(), node.getValue()),
                        scoring.best(FreeNodes.of(node.getKey(), node.getValue()), kind.request()).cost()))
                .filter(node -> node.cost() < Double.POSITIVE_INFINITY);
    }
}
