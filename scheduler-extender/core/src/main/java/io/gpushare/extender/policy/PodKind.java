package io.gpushare.extender.policy;

import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.policy.scoring.Scoring;

/** Pods that request the same, weighed by one scoring. */
public record PodKind(Scoring scoring, PodRequest request) {
    /** What such a pod costs on the node; infinite if it does not fit. */
    public double costOn(NodeEntry node) {
        // A pod without cards takes nothing from a node without cards.
        boolean free = !request.gpu() && node.cards().open().cards().isEmpty();
        return free ? 0 : scoring.best(node, request).cost();
    }
}
