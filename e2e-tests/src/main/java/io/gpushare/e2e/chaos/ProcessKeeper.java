package io.gpushare.e2e.chaos;

import io.gpushare.e2e.chaos.check.RunClock;
import io.gpushare.e2e.chaos.check.Tally;
import io.gpushare.e2e.cluster.LocalCluster;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Starts what ended, as the machine's service manager and the kubelet (for static pods) would: what was killed, and what
 * ended by itself, as kube-scheduler does when it can't renew its lease.
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

    /** Kills it and sees to it that it is not started for so long. */
    void kill(String component, Duration away) throws InterruptedException {
        heldDown.add(component);
        killed.add(component);
        try {
            cluster.component("kill", component);
            Thread.sleep(away);
        } finally {
            heldDown.remove(component);
        }
    }

    /** Whether all run. */
    boolean complete() {
        return starting.isEmpty() && components.stream().allMatch(cluster::runs);
    }

    void end() {
        over = true;
    }

    /** Until {@link #end}. */
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
            // Such as kube-scheduler while the API server is away: tried again.
            watch.say(component + " did not start: " + Tally.shortened(String.valueOf(e.getMessage())));
        } finally {
            starting.remove(component);
        }
    }
}
