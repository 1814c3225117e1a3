package io.gpushare.insight.report;

import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.insight.report.Explanation.NodeVerdict;
import io.gpushare.model.PodRef;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What the owner of a pod that no node can take may do, in sentences: first about the nodes that it accepts, then about
 * their cards.
 *
 * @param waits whether the pod fits as soon as pods have gone that are being deleted
 */
record Advice(List<String> sentences, boolean waits) {
    Advice {
        sentences = List.copyOf(sentences);
    }

    /**
     * The advice for that pod; empty if a node can take it.
     *
     * @param pods the pods of the ledger
     */
    static Advice of(Subject subject, List<NodeVerdict> nodes, Function<PodRef, Optional<PodEntry>> pods) {
        if (nodes.stream().anyMatch(node -> node.why() == null)) {
            return new Advice(List.of(), false);
        }
        List<NodeVerdict> withCards =
                nodes.stream().filter(node -> !node.cards().cards().isEmpty()).toList();
        List<NodeVerdict> accepted =
                withCards.stream().filter(NodeVerdict::accepted).toList();
        if (!withCards.isEmpty() && accepted.isEmpty()) {
            return new Advice(NodeAdvice.sentences(subject.demand().nodes(), withCards), false);
        }
        String where = accepted.size() == withCards.size() ? "in this cluster" : "of the nodes that it accepts";
        Endings endings = new Endings(subject, accepted, pods);
        Optional<Endings.Room> soon = endings.terminating();
        return new Advice(
                new CardAdvice(subject.demand().cards(), where)
                        .sentences(accepted, () -> EndingText.sentences(soon, endings)),
                soon.isPresent());
    }
}
