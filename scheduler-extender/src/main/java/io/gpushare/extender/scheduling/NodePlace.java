package io.gpushare.extender.scheduling;

import org.jspecify.annotations.Nullable;

/** Where the ledger has one node, for as long as it knows anything of it. */
final class NodePlace {
    private volatile @Nullable NodeEntry entry;

    NodePlace(NodeEntry entry) {
        this.entry = entry;
    }

    /** The node as it is now; null when the ledger has forgotten it, for good: should it come back, it has another place. */
    @Nullable
    NodeEntry entry() {
        return entry;
    }

    /** To be called by one thread at a time. */
    void become(@Nullable NodeEntry now) {
        entry = now;
    }
}
