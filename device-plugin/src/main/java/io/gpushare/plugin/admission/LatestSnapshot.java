package io.gpushare.plugin.admission;

import io.gpushare.plugin.node.NodeSnapshot;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * The one shared mutable object: the newest picture of the node, replaced in steps from value to value. A step does no I/O,
 * so nobody waits long.
 */
public final class LatestSnapshot {
    private final Runnable changed;
    private NodeSnapshot picture;

    /** {@code changed} is run after each step, by the thread that made it. */
    public LatestSnapshot(NodeSnapshot first, Runnable changed) {
        this.picture = Objects.requireNonNull(first);
        this.changed = Objects.requireNonNull(changed);
    }

    public synchronized NodeSnapshot now() {
        return picture;
    }

    /** Makes one step; answers the picture after it. */
    public NodeSnapshot update(UnaryOperator<NodeSnapshot> step) {
        NodeSnapshot after;
        synchronized (this) {
            after = step.apply(picture);
            picture = after;
        }
        changed.run();
        return after;
    }
}
