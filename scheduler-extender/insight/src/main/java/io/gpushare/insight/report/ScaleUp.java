package io.gpushare.insight.report;

import io.gpushare.model.Demand;

/** Which new nodes would let a pod run that no present node can take now. */
public sealed interface ScaleUp {
    /**
     * So many more nodes like one of the cluster.
     *
     * @param nodes how many the pod's policy needs
     * @param like the name of a node of that kind
     * @param cards its cards in words
     * @param before how many waiting pods get cards there before the pod does
     */
    record MoreLike(int nodes, String like, String cards, int before) implements ScaleUp {}

    /** A node that the pod accepts: it accepts no node of a kind that could take it. */
    record OtherNode(Demand demand) implements ScaleUp {}

    /**
     * A node of a kind that the cluster does not have.
     *
     * @param kinds the number of kinds that it has
     */
    record OtherKind(Demand demand, int kinds) implements ScaleUp {}
}
