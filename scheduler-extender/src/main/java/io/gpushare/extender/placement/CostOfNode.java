package io.gpushare.extender.placement;

/**
 * What a pod costs on one node, as that node was.
 *
 * @param order the node's place in the fixed order
 * @param cost infinite where the pod doesn't fit
 */
record CostOfNode(NodeRoom node, long order, double cost) {
    /** @param hash the pod's, for one who asks about many nodes */
    static CostOfNode of(NodeRoom node, Scoring scoring, PodRequest pod, int hash) {
        // A pod without cards takes nothing from a node without them.
        boolean free = !pod.gpu() && node.cards().isEmpty();
        return new CostOfNode(
                node, node.order(), free ? 0 : node.best(scoring, pod, hash).cost());
    }

    /** Whether it is the first of both in {@link NodeRoom#ORDER}. */
    boolean isBefore(CostOfNode other) {
        return order != other.order ? order < other.order : NodeRoom.ORDER.compare(node, other.node) < 0;
    }
}
