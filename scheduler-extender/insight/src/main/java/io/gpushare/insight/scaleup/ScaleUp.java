package io.gpushare.insight.scaleup;

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
     * @param group whether they let the pod's whole group run
     */
    record MoreLike(int nodes, String like, String cards, int before, boolean group) implements ScaleUp {}

    /** A node that the pod accepts: it accepts no node of a kind that could take it. */
    record OtherNode(Demand demand) implements ScaleUp {}

    /**
     * A node of a kind that the cluster does not have.
     *
     * @param kinds the number of kinds that it has
     */
    record OtherKind(Demand demand, int kinds) implements ScaleUp {}
}
