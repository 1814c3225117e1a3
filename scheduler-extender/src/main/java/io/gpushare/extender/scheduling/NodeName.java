package io.gpushare.extender.scheduling;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A node's name, and where one ledger has that node. kube-scheduler names the same thousands of nodes in each request:
 * whoever keeps these from one request to the next spares the ledger to look each of them up again.
 */
public class NodeName {
    private final String name;
    // Where it was found last. Threads may overwrite each other's: a place that is no more is known by itself.
    private @Nullable NodePlace place;

    protected NodeName(String name) {
        this.name = name;
    }

    /** Those names, for one request. */
    public static List<NodeName> all(List<String> names) {
        return names.stream().map(NodeName::new).toList();
    }

    @Nullable
    NodePlace place() {
        return place;
    }

    void foundAt(@Nullable NodePlace found) {
        place = found;
    }

    @Override
    public final String toString() {
        return name;
    }
}
