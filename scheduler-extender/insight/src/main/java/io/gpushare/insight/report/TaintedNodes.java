package io.gpushare.insight.report;

import io.gpushare.extender.pod.NodeDemand;
import io.gpushare.insight.report.Explanation.NodeVerdict;
import io.gpushare.model.node.NodeFacts;
import io.gpushare.model.node.NodeMismatch;
import io.gpushare.model.node.Taint;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that could take a pod by their cards, and that taints alone keep from it.
 *
 * @param passing whether the taints are such that Kubernetes sets for a while: nothing else is needed then
 */
record TaintedNodes(List<String> sentences, boolean passing) {
    private static final TaintedNodes NONE = new TaintedNodes(List.of(), false);

    /** One of them. */
    private record Tainted(String node, NodeMismatch mismatch, Taint taint) {}

    /**
     * Those with taints that pass, else those with others.
     *
     * @param nodes those with cards
     */
    static TaintedNodes of(NodeDemand demand, List<NodeVerdict> nodes) {
        return of(
                demand,
                nodes,
                NodeVerdict::fitsByCards,
                demand.cards().inPart() ? " may take it but " : " could take it but ");
    }

    private static TaintedNodes of(
            NodeDemand demand, List<NodeVerdict> nodes, Predicate<NodeVerdict> fits, String could) {
        List<Tainted> all = new ArrayList<>();
        for (NodeVerdict node : nodes) {
            @Nullable NodeFacts facts = node.facts();
            @Nullable
            NodeMismatch mismatch =
                    facts == null || node.accepted() ? null : demand.nodes().mismatch(facts);
            if (facts != null && mismatch != null && mismatch.ofTaint() && fits.test(node)) {
                all.add(new Tainted(
                        node.node(),
                        mismatch,
                        Objects.requireNonNull(demand.nodes().deciding(facts))));
            }
        }
        boolean passing = all.stream().anyMatch(each -> each.taint().passing());
        Map<NodeMismatch, List<Tainted>> byMismatch = new EnumMap<>(NodeMismatch.class);
        all.stream()
                .filter(each -> each.taint().passing() == passing)
                .forEach(each -> byMismatch
                        .computeIfAbsent(each.mismatch(), any -> new ArrayList<>())
                        .add(each));
        return all.isEmpty()
                ? NONE
                : new TaintedNodes(
                        byMismatch.values().stream()
                                .map(each -> sentence(each, could))
                                .toList(),
                        passing);
    }

    /**
     * The same of nodes whose cards pods have.
     *
     * @param fits whether the cards of a node suffice if no pod has them
     */
    static TaintedNodes whenEmpty(NodeDemand demand, List<NodeVerdict> nodes, Predicate<NodeVerdict> fits) {
        return of(demand, nodes, fits, " could take it when pods there end, but ");
    }

    private static String sentence(List<Tainted> nodes, String could) {
        Tainted first = nodes.getFirst();
        return "Node " + first.node() + (nodes.size() == 1 ? "" : " (as " + (nodes.size() - 1) + " more)")
                + could + first.taint().sentence()
                + (first.mismatch() == NodeMismatch.TAINT ? ", which it does not tolerate." : ".");
    }
}
