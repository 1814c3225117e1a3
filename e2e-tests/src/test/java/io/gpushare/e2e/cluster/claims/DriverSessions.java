package io.gpushare.e2e.cluster.claims;

import io.gpushare.e2e.cluster.Cluster;

/**
 * Who keeps the driver of a node from being replaced: a process that has initialised the simulated driver has the file
 * of the node's cards open, as it has {@code /dev/nvidiactl} with NVIDIA's.
 */
final class DriverSessions {
    private static final String OPEN_FILES = "ls -l /proc/[0-9]*/fd 2>/dev/null || true";

    private DriverSessions() {}

    /** Whether any process of the cluster has a session with that node's driver. */
    static boolean open(Cluster cluster, String node) {
        return cluster.onNode("sh", "-c", OPEN_FILES)
                .lines()
                .map(line -> line.replace(" (deleted)", "")) // the file is replaced with each change of the cards
                .anyMatch(line -> line.endsWith("/cards-" + node));
    }
}
