package io.gpushare.extender.search;

import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.pod.PodDemand;

/**
 * What is known of pods beside the ledger, which has no budgets, and of bound pods not which nodes they accept. Without
 * it, every pod of a controller may be moved to every node.
 */
public interface PodKnowledge {
    PodKnowledge NONE = new PodKnowledge() {};

    /** Whether the pod must stay. */
    default boolean spared(String uid) {
        return false;
    }

    /**
     * What the pod's controller would request for a new pod: the ledger has a bound pod's amounts, and not its
     * selectors.
     */
    default PodDemand.Valid demand(PodEntry pod) {
        return pod.podDemand();
    }

    /** Whether the pod accepts that node. */
    default boolean accepts(String uid, String node) {
        return true;
    }
}
