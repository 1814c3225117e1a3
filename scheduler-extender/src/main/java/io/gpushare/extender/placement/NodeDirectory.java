package io.gpushare.extender.placement;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The nodes by name and index, for requests that name thousands of them. A node keeps its index as
 * long as the directory is used, even while the node is gone; {@link Placer} replaces a directory that is full.
 */
public interface NodeDirectory {
    /** The index of a node that the directory does not have. */
    int UNKNOWN = -1;

    /** The number of indices in use: all below it are nodes. */
    int size();

    /** The name of the node with that index. */
    String name(int index);

    /** The index of the node with that name, or {@link #UNKNOWN}. */
    int index(String name);

    /** The nodes with these indices, in this order. The array is not copied. */
    NodeIndices nodes(int... indices);

    /** All nodes. */
    default NodeIndices all() {
        return nodes(IntStream.range(0, size()).toArray());
    }

    /** The nodes with these names, in this order. */
    default NodeIndices named(List<String> names) {
        return nodes(names.stream().mapToInt(this::index).toArray());
    }
}
