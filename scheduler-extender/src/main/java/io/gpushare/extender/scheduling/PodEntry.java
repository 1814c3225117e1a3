package io.gpushare.extender.scheduling;

import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import org.jspecify.annotations.Nullable;

/**
 * One pod with a demand in the ledger, immutable.
 *
 * @param listed whether the informer has shown it, and so will say when it is gone
 * @param node where the informer showed it bound; null if not
 * @param complaint what is wrong with its annotation, said once in the log
 */
record PodEntry(
        PodRef ref,
        Demand demand,
        boolean listed,
        @Nullable String node,
        @Nullable Hold hold,
        @Nullable String complaint) {
    /** A pod that kube-scheduler binds before the informer has shown it. */
    static PodEntry unlisted(PodRef ref, Demand demand) {
        return new PodEntry(ref, demand, false, null, null, null);
    }

    PodEntry with(@Nullable Hold changed) {
        return new PodEntry(ref, demand, listed, node, changed, complaint);
    }

    /** Bound, and nothing says on which card. */
    boolean unattributed() {
        return node != null && hold == null;
    }
}
