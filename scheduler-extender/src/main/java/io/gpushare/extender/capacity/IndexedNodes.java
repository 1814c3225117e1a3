package io.gpushare.extender.capacity;

/** Nodes by index, as policies see them. They may change while they are read. */
public interface IndexedNodes {
    /** An upper bound of all indices, now and later. */
    int capacity();

    /** The number of indices in use. */
    int size();

    /** The node as it is now. */
    FreeNode node(int index);

    /** Whether the one is before the other in {@link FreeNode#ORDER}. */
    boolean isBefore(int one, int other);

    /** Counts the changes of all nodes, each once it is complete; a version that is read afterwards is no older. */
    int changes();

    /** Counts the changes of one node, from 1; a node that is read afterwards is no older. */
    int version(int index);
}
