package io.gpushare.extender.ledger;

import io.gpushare.extender.pod.PodDemand;
import org.jspecify.annotations.Nullable;

/** Is notified of changes of the ledger. Its methods must not block and must not call the ledger. */
public interface LedgerListener {
    /** Follows nothing. */
    LedgerListener NONE = new LedgerListener() {
        @Override
        public void nodeChanged(String name, @Nullable NodeEntry now) {}

        @Override
        public void cardsChanged() {}

        @Override
        public void podArrived(PodDemand.Valid pod) {}
    };

    /**
     * The node has another entry, or none for null. Called inside the atomic step of that node, for any node by any
     * thread.
     */
    void nodeChanged(String name, @Nullable NodeEntry now);

    /** The cards, the CPU or the memory of a node have changed. */
    void cardsChanged();

    /** A pod is shown for the first time. Called once for each pod. */
    void podArrived(PodDemand.Valid pod);
}
