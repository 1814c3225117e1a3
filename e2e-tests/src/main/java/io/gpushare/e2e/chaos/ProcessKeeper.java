package io.gpushare.e2e.chaos;

import io.gpushare.e2e.chaos.check.RunClock;
import io.gpushare.e2e.chaos.check.Tally;
import io.gpushare.e2e.cluster.LocalCluster;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Restarts components that have ended, as a service manager or the kubelet of a static pod would. Some are killed,
 * others end by themselves, as kube-scheduler does when it can't renew its lease.
 */
final class ProcessKeeper {
    private static final Duration PAUSE = Duration.ofMillis(500);

    private final LocalCluster cluster;
    private final List<String> components;
    private final RunClock watch;
    private final Tally tally;
    private final Set<String> heldDown = ConcurrentHashMap.newKeySet();
    private final Set<String> killed = ConcurrentHashMap.newKeySet();
    private final Set<String> starting = ConcurrentHashMap.newKeySet();
    private volatile boolean over;

    ProcessKeeper(LocalCluster cluster, List<String> components, RunClock watch, Tally tally) {
        this.cluster = cluster;
        this.components = List.copyOf(components);
        this.watch = watch;
        this.tally = tally;
    }

    /** Kills the component and keeps it down for the given time. */
    void kill(String component, Duration downtime) throws InterruptedException {
        heldDown.add(component);
        killed.add(component);
        try {
            cluster.component("kill", component);
            Thread.sleep(downtime);
        } finally {
            heldDown.remove(component);
        }
    }

    /** Whether all components run. */
    boolean complete() {
        return starting.isEmpty() && components.stream().allMatch(cluster::runs);
    }

    void end() {
        over = true;
    }

    /** Restarts components until {@link #end}. */
    void run() throws InterruptedException {
        while (!over) {
            for (String component : components) {
                if (!heldDown.contains(component) && !cluster.runs(component) && starting.add(component)) {
                    if (!killed.remove(component)) {
                        tally.count("ended by itself, started again: " + component);
                        watch.say(component + " ended by itself");
                    }
                    Thread.ofVirtual().start(() -> start(component));
                }
            }
            Thread.sleep(PAUSE);
        }
    }

    private void start(String component) {
        try {
            cluster.component("start", component);
        } catch (RuntimeException e) {
            // For example kube-scheduler while the API server is down; the next round retries.
            watch.say(component + " did not start: " + Tally.shortened(String.valueOf(e.getMessage())));
        } finally {
            starting.remove(component);
        }
    }
}
