package io.gpushare.extender.policy;

import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.policy.scoring.Scoring;
import io.gpushare.model.Demand;
import org.jspecify.annotations.Nullable;

/**
 * Pods that request the same, weighed by one scoring.
 *
 * @param demand null for pods without cards
 */
public record PodKind(
        Scoring scoring, PodRequest request, @Nullable Demand demand) {
    /** Pods of that kind without cards. */
    public static PodKind withoutCards(Scoring scoring, PodRequest request) {
        return new PodKind(scoring, request, null);
    }

    /** What such a pod costs on the node; infinite if it does not fit. */
    public double costOn(NodeEntry node) {
        // A pod without cards takes nothing from a node without cards.
        boolean free = !request.gpu() && node.cards().open().cards().isEmpty();
        return free ? 0 : scoring.best(node, request).cost();
    }
}
