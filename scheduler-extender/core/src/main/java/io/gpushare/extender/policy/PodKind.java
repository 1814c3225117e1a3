package io.gpushare.extender.policy;

import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.policy.scoring.Scoring;

/** Pods that request the same, weighed by one scoring. Each object is a kind of its own. */
public final class PodKind {
    private final Scoring scoring;
    private final PodRequest request;
    private final int number;

    /** @param number below {@link RecentKinds#MOST}; a later kind may have the same one */
    public PodKind(Scoring scoring, PodRequest request, int number) {
        this.scoring = scoring;
        this.request = request;
        this.number = number;
    }

    int number() {
        return number;
    }

    boolean is(Scoring other, PodRequest another) {
        return scoring.equals(other) && request.equals(another);
    }

    /** What such a pod costs on the node; infinite if it does not fit. */
    public double costOn(NodeEntry node) {
        // A pod without cards takes nothing from a node without cards.
        boolean free = !request.gpu() && node.cards().open().cards().isEmpty();
        return free ? 0 : scoring.best(node, request).cost();
    }
}
