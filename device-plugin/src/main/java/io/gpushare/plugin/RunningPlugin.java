package io.gpushare.plugin;

/** The parts of the program that run, whatever the way in which the node offers its cards. */
interface RunningPlugin extends AutoCloseable {
    /** Prepares a planned end. */
    default void leave() throws InterruptedException {}

    /** Stops everything: the sockets are removed, and running pods are not affected. */
    @Override
    void close();
}
