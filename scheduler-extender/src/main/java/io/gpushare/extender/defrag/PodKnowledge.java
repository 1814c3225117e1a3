package io.gpushare.extender.defrag;

import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.pod.PodDemand;

/** What is known of pods beside the ledger, which has neither their conditions on nodes nor their budgets. */
public interface PodKnowledge {
    /** Nothing: every pod of a controller may be moved to every node. */
    PodKnowledge NONE = new PodKnowledge() {
        @Override
        public boolean spared(String uid) {
            return false;
        }

        @Override
        public PodDemand.Valid demand(PodEntry pod) {
            return pod.podDemand();
        }

        @Override
        public boolean accepts(String uid, String node) {
            return true;
        }
    };

    /** Whether the pod must stay. */
    boolean spared(String uid);

    /** What the pod's controller would request for a new pod: the ledger has a bound pod's amounts, and not its selectors. */
    PodDemand.Valid demand(PodEntry pod);

    /** Whether the pod accepts that node. */
    boolean accepts(String uid, String node);
}
