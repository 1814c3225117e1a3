package io.gpushare.plugin.allocate.state;

import io.gpushare.plugin.allocate.snapshot.NodeSnapshot;
import java.util.function.UnaryOperator;

/** The one shared mutable object: the latest snapshot of the node, replaced step by step. A step does no I/O. */
public final class LatestSnapshot {
    private final Runnable changed;
    private NodeSnapshot snapshot;

    /** The thread that makes a step runs {@code changed} after it. */
    public LatestSnapshot(NodeSnapshot first, Runnable changed) {
        this.snapshot = first;
        this.changed = changed;
    }

    public synchronized NodeSnapshot now() {
        return snapshot;
    }

    /** Makes one step and returns the snapshot after it. */
    public NodeSnapshot update(UnaryOperator<NodeSnapshot> step) {
        NodeSnapshot after;
        synchronized (this) {
            after = step.apply(snapshot);
            snapshot = after;
        }
        changed.run();
        return after;
    }
}
