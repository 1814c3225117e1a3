package io.gpushare.plugin;

import java.util.Optional;

/** The offer by which this node gives its cards. Closing it removes the sockets, and does not affect running pods. */
interface ActiveOffer extends AutoCloseable {
    /** Starts to offer; the node's pods are watched from now on. */
    void begin();

    /** A pod of the node was added or changed; returns at once. */
    default void podChanged() {}

    /** A pod of the node was deleted; returns at once. */
    default void podDeleted() {}

    /** Why no pod can get cards here by it, as a sentence; empty if one can. */
    Optional<String> problem();

    /** Prepares a planned end. */
    default void leave() throws InterruptedException {}

    @Override
    default void close() {}
}
