package io.gpushare.extender.pod;

import io.gpushare.model.Demand;
import io.gpushare.model.node.NodeRules;

/**
 * What a pod requires of one node: its cards, and the node itself. Pods with equal ones wait for the same reason.
 *
 * @param foreign whether others give it its cards: {@link PodDemand.Valid#foreign}
 */
public record NodeDemand(Demand cards, NodeRules nodes, boolean foreign) {
    /** The demand of a pod that the extender places. */
    public NodeDemand(Demand cards, NodeRules nodes) {
        this(cards, nodes, false);
    }

    /** The same of a pod that accepts any node. */
    public NodeDemand anywhere() {
        return new NodeDemand(cards, NodeRules.ANY, foreign);
    }
}
