package io.gpushare.plugin;

/**
 * The parts of the program that run, whatever the way in which the node offers its cards. Closing them removes the
 * sockets, and does not affect running pods.
 */
interface RunningPlugin {
    /** Prepares a planned end. */
    default void leave() throws InterruptedException {}
}
