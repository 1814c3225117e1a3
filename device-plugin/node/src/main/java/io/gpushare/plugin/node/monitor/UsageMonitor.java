package io.gpushare.plugin.node.monitor;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Memory;
import io.gpushare.plugin.node.holdings.Holdings;
import io.gpushare.plugin.node.holdings.LatestHoldings;
import io.gpushare.plugin.node.usage.CardUsages;
import io.gpushare.plugin.node.usage.Cgroup;
import io.gpushare.plugin.node.usage.ContainerShare;
import io.gpushare.plugin.node.usage.IdleTimes;
import io.gpushare.plugin.node.usage.NodeUsage;
import io.gpushare.plugin.node.usage.OverUse;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the usage that the driver reports with the shares of containers. It works on a thread of its own, since it
 * reads files and may evict pods. Of the reports that arrive while the thread is busy, it evaluates the last.
 */
public final class UsageMonitor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(UsageMonitor.class);
    /** A report that is older says nothing about the present. */
    private static final Duration STALE = Duration.ofSeconds(30);

    private final LatestHoldings latest;
    private final ProcessTable processes;
    private final OverUseGuard guard;
    private final ForeignUseReporter foreign;
    private final StillComputing ended;
    private final ForeignMemory foreignMemory;
    private final InstantSource clock;
    private final PeriodicTask task = PeriodicTask.onRequest("usage", Duration.ZERO, this::evaluate);
    private volatile CardUsages reported = NodeUsage.NONE.reported();
    private volatile NodeUsage usage = NodeUsage.NONE;
    private volatile List<OverUse.Excess> excesses = List.of();
    private volatile IdleTimes idle = IdleTimes.NONE;
    private OverUse overUse = OverUse.NONE;
    private boolean hidden;
    private volatile Consumer<Map<CardId, Memory>> withoutShare = _ -> {};

    /**
     * @param rest whether new pods can have the rest of a card that processes use without a share
     */
    public UsageMonitor(
            LatestHoldings latest,
            ProcessTable processes,
            OverUseGuard guard,
            ForeignUseReporter foreign,
            StillComputing ended,
            boolean rest,
            InstantSource clock) {
        this.latest = latest;
        this.processes = processes;
        this.guard = guard;
        this.foreign = foreign;
        this.ended = ended;
        this.foreignMemory = new ForeignMemory(rest);
        this.clock = clock;
    }

    /** Starts. */
    public UsageMonitor start() {
        if (processes.ownOnly()) {
            LOG.warn("only the plugin's own processes are visible, so the usage of containers is not reported: set"
                    + " hostPID: true in the pod's spec");
        }
        task.start();
        return this;
    }

    /** That receives, after each report, the memory that processes use to which nothing of it is allocated. */
    public void reportForeign(Consumer<Map<CardId, Memory>> receiver) {
        withoutShare = receiver;
    }

    /** Evaluates what the driver reported; returns at once. */
    public void report(CardUsages now) {
        reported = now;
        task.runSoon();
    }

    private Duration evaluate() {
        try {
            CardUsages last = reported;
            Map<Long, Optional<Cgroup>> cgroups = cgroups(last);
            Holdings holdings = latest.running(pods(cgroups));
            NodeUsage now = processes.ownOnly()
                    ? NodeUsage.withoutProcesses(last)
                    : usage.next(last, pid -> cgroups.getOrDefault(pid, Optional.empty()), holdings);
            if (!processes.ownOnly()) {
                warnIfHidden(now.containers().isEmpty());
            }
            usage = now;
            List<ContainerShare> shares = ContainerShare.of(holdings);
            idle = idle.with(shares, now, clock.instant());
            OverUse.Found found =
                    overUse.evaluate(shares, now, holdings.inventory().unit(), clock.instant());
            excesses = found.excesses();
            guard.handle(found);
            foreign.handle(now);
            ended.handle(last, cgroups);
            if (foreign.podsKnown() && !processes.ownOnly()) {
                reportWithoutShare(last, cgroups);
            }
            overUse = found.next();
        } catch (RuntimeException e) {
            // Usage reporting is best-effort and must not affect Allocate.
            LOG.error("the usage of containers could not be evaluated", e);
        }
        return PeriodicTask.ON_REQUEST;
    }

    /** Without what is only recorded of pods: their records may be older than their ends. */
    private void reportWithoutShare(CardUsages last, Map<Long, Optional<Cgroup>> cgroups) {
        Holdings known = latest.now();
        NodeUsage now = NodeUsage.NONE.next(last, pid -> cgroups.getOrDefault(pid, Optional.empty()), known);
        withoutShare.accept(foreignMemory.next(now, known.inventory().cards()));
    }

    /** The cgroups of all processes on the cards, by PID. */
    private Map<Long, Optional<Cgroup>> cgroups(CardUsages reported) {
        return reported.cards().values().stream()
                .flatMap(card -> card.processes().orElse(List.of()).stream())
                .map(process -> process.pid())
                .distinct()
                .collect(Collectors.toMap(Function.identity(), processes::cgroup));
    }

    /** The uids of their pods. */
    private static Set<String> pods(Map<Long, Optional<Cgroup>> cgroups) {
        return cgroups.values().stream()
                .flatMap(Optional::stream)
                .flatMap(cgroup -> cgroup.podUid().stream())
                .collect(Collectors.toSet());
    }

    private void warnIfHidden(boolean now) {
        if (now && !hidden) {
            LOG.warn("none of the processes on the cards is visible, so the usage of containers is not reported: set"
                    + " hostPID: true in the pod's spec, or --proc-dir");
        }
        hidden = now;
    }

    /** The latest usage; none if the driver's last report is stale. */
    public NodeUsage now() {
        NodeUsage last = usage;
        return clock.instant().isAfter(last.reported().at().plus(STALE)) ? NodeUsage.NONE : last;
    }

    /** The containers that use more memory than they requested. */
    public List<OverUse.Excess> excesses() {
        return now().equals(NodeUsage.NONE) ? List.of() : excesses;
    }

    /** For how long the container has not computed on its card; empty if that is unknown. */
    public Optional<Duration> idle(ContainerShare share) {
        return now().equals(NodeUsage.NONE) ? Optional.empty() : idle.of(share, clock.instant());
    }

    @Override
    public void close() {
        task.close();
    }
}
