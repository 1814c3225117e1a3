package io.gpushare.plugin;

import io.gpushare.plugin.allocation.NodePicture;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * The one shared mutable object: the newest picture of the node, replaced in steps from value to value. A step does no I/O,
 * so nobody waits long.
 */
final class LatestPicture {
    private final Runnable changed;
    private NodePicture picture;

    /** {@code changed} is run after each step, by the thread that made it. */
    LatestPicture(NodePicture first, Runnable changed) {
        this.picture = Objects.requireNonNull(first);
        this.changed = Objects.requireNonNull(changed);
    }

    synchronized NodePicture now() {
        return picture;
    }

    /** Makes one step; answers the picture after it. */
    NodePicture update(UnaryOperator<NodePicture> step) {
        NodePicture after;
        synchronized (this) {
            after = step.apply(picture);
            picture = after;
        }
        changed.run();
        return after;
    }
}
