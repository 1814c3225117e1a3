package io.gpushare.plugin.monitor;

import io.gpushare.plugin.admission.LatestSnapshot;
import io.gpushare.plugin.processes.ProcessTable;
import io.gpushare.plugin.usage.CardUsages;
import io.gpushare.plugin.usage.ContainerShare;
import io.gpushare.plugin.usage.NodeUsage;
import io.gpushare.plugin.usage.OverUse;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.SynchronousQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Joins what the driver tells with what containers were given, on a thread of its own: processes are looked up in files, and
 * whoever uses too much may be evicted over the network. What comes while it is busy is left out; the next comes soon.
 */
public final class UsageMonitor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(UsageMonitor.class);
    /** After this a driver that told nothing more has nothing to say about now. */
    private static final Duration STALE = Duration.ofSeconds(30);

    private final LatestSnapshot latest;
    private final ProcessTable processes;
    private final OverUseGuard guard;
    private final InstantSource clock;
    private final SynchronousQueue<CardUsages> told = new SynchronousQueue<>();
    private final Thread thread = new Thread(this::run, "use");
    private volatile NodeUsage load = NodeUsage.NOTHING;
    private volatile List<OverUse.Excess> excesses = List.of();
    private boolean blind;

    private UsageMonitor(LatestSnapshot latest, ProcessTable processes, OverUseGuard guard, InstantSource clock) {
        this.latest = Objects.requireNonNull(latest);
        this.processes = Objects.requireNonNull(processes);
        this.guard = Objects.requireNonNull(guard);
        this.clock = Objects.requireNonNull(clock);
    }

    public static UsageMonitor start(
            LatestSnapshot latest, ProcessTable processes, OverUseGuard guard, InstantSource clock) {
        UsageMonitor watch = new UsageMonitor(latest, processes, guard, clock);
        if (processes.ownOnly()) {
            LOG.warn("this program sees its own processes only, so what containers really use is not told: set hostPID:"
                    + " true in the pod's spec");
        }
        watch.thread.setDaemon(true);
        watch.thread.start();
        return watch;
    }

    /** The driver says this; returns at once. */
    public void told(CardUsages now) {
        boolean taken = told.offer(now);
        LOG.debug("the loads of {} cards, {}", now.cards().size(), taken ? "looked at" : "left out");
    }

    private void run() {
        try {
            OverUse overUse = OverUse.NONE;
            while (true) {
                overUse = look(told.take(), overUse);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private OverUse look(CardUsages loads, OverUse before) {
        try {
            var picture = latest.now();
            NodeUsage now = processes.ownOnly()
                    ? NodeUsage.withoutProcesses(loads)
                    : NodeUsage.of(loads, processes::cgroup, picture);
            if (!processes.ownOnly()) {
                complain(now.containers().isEmpty());
            }
            load = now;
            OverUse.Found found = before.look(
                    ContainerShare.of(picture), now, picture.inventory().unit(), clock.instant());
            excesses = found.excesses();
            guard.found(found);
            return found.next();
        } catch (RuntimeException e) {
            // To tell who uses what is a courtesy; the kubelet is served all the same.
            LOG.error("what containers use could not be told", e);
            return before;
        }
    }

    private void complain(boolean now) {
        if (now && !blind) {
            LOG.warn("none of the processes on the cards is to be seen here, so what containers really use is not told:"
                    + " set hostPID: true in the pod's spec, or --proc-dir");
        }
        blind = now;
    }

    /** What cards do and containers use, if the driver told it lately. */
    public NodeUsage now() {
        NodeUsage last = load;
        return clock.instant().isAfter(last.loads().at().plus(STALE)) ? NodeUsage.NOTHING : last;
    }

    /** The containers that use more than they were given. */
    public List<OverUse.Excess> excesses() {
        return now().equals(NodeUsage.NOTHING) ? List.of() : excesses;
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
