package io.gpushare.extender.policy;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.model.Demand;
import org.jspecify.annotations.Nullable;

/**
 * What a node is for a new pod of a kind. Immutable, so a thread that sees another one's without a lock sees all of it.
 *
 * @param refusal why it can't give the pod its cards now; null if it can, and for pods without cards
 * @param cost infinite if the pod does not fit
 */
public record Verdict(PodKind kind, @Nullable Reason refusal, double cost) {
    static Verdict of(NodeEntry node, PodKind kind) {
        @Nullable Demand demand = kind.demand();
        @Nullable Reason refusal = demand == null ? null : node.refusal(demand);
        return new Verdict(kind, refusal, refusal == null ? kind.costOn(node.offered()) : Double.POSITIVE_INFINITY);
    }
}
