package io.gpushare.extender.capacity;

/** Nodes by number, as policies see them. While one changes, others may read it. */
public interface FreeNodes {
    /** No node will ever have this number or a higher one. */
    int capacity();

    /** No node has this number or a higher one yet. */
    int size();

    /** The node as it is now. */
    FreeNode room(int number);

    /** Whether the one is before the other in {@link FreeNode#ORDER}. */
    boolean isBefore(int one, int other);

    /** Counts the changes of all nodes, each once it is over; who reads it before a version has a version that is no older. */
    int changes();

    /** Counts the node's changes, and is never 0; who reads it before the room has a room that is no older. */
    int version(int number);
}
