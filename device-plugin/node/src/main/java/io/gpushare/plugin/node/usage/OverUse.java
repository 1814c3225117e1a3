package io.gpushare.plugin.node.usage;

import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.MemoryUnit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which containers use more memory of a shared card than they requested, and since when. Every container above its
 * limit is reported. Only a pod whose containers together exceed their limit on the card is an offender.
 *
 * @param since by pod and card, the start of the uninterrupted time above the limit
 * @param reports by container and card, the last report
 */
public record OverUse(Map<PodOnCard, Instant> since, Map<NodeUsage.ContainerOnCard, Report> reports) {
    /** No container is above its limit. */
    public static final OverUse NONE = new OverUse(Map.of(), Map.of());

    // An Event lives for an hour. A growing need is reported sooner; a usage that oscillates around the limit is not.
    private static final Duration REMINDER = Duration.ofHours(1);
    private static final Duration GROWTH = Duration.ofMinutes(10);

    /**
     * What each process may use above the limit. MPS counts less than the driver reports: on an H100 with driver
     * 580.159 a process that had filled its limit was 2 MiB above it by NVML.
     */
    private static final long PROCESS_ALLOWANCE = 8L << 20;

    /** A pod on one card. */
    public record PodOnCard(PodRef pod, CardId card) {}

    /**
     * The bytes that a pod may use on a card, those that it uses as far as the driver reports them, and its processes.
     */
    private record PodMemory(long limit, long used, int processes) {
        PodMemory plus(PodMemory other) {
            return new PodMemory(limit, used + other.used, processes + other.processes);
        }
    }

    /** The time of a report, and the units that the container needed then. */
    public record Report(Instant at, long units) {}

    /**
     * A container above its limit on a card, what it uses with those that have its share together, and the units that
     * would hold that.
     */
    public record Excess(ContainerShare share, long usedBytes, long neededUnits) {}

    /** A pod above its limit on a card, by so many bytes. */
    public record Offender(PodRef pod, CardId card, long bytes, Instant since) {}

    /**
     * The result of one evaluation.
     *
     * @param excesses every container above its limit now
     * @param unreported those of them that have to be reported now
     * @param offenders every pod above its limit now, the largest excess first
     */
    public record Found(OverUse next, List<Excess> excesses, List<Excess> unreported, List<Offender> offenders) {}

    public OverUse {
        since = Map.copyOf(since);
        reports = Map.copyOf(reports);
    }

    /** The part of the bytes of so many processes that counts against a limit. */
    public static long counted(long bytes, int processes) {
        return Math.max(0, bytes - processes * PROCESS_ALLOWANCE);
    }

    /** Compares the measured usage with the shares of the containers. */
    public Found evaluate(List<ContainerShare> shares, NodeUsage usage, MemoryUnit unit, Instant now) {
        List<Excess> excesses = new ArrayList<>();
        Map<PodOnCard, PodMemory> pods = new HashMap<>();
        Map<PodOnCard, Set<Set<NodeUsage.ContainerOnCard>>> counted = new HashMap<>();
        for (ContainerShare share : shares) {
            if (share.whole()) {
                continue;
            }
            NodeUsage.Measured measured = usage.together(share);
            long used = measured.bytes().orElse(0);
            int processes = measured.pids().size();
            PodOnCard pod = new PodOnCard(share.pod(), share.card().id());
            if (counted.computeIfAbsent(pod, _ -> new HashSet<>()).add(share.together())) {
                pods.merge(pod, new PodMemory(share.podMemory().bytes(), used, processes), PodMemory::plus);
            }
            long bytes = counted(used, processes);
            if (bytes > share.memory().bytes()) {
                excesses.add(
                        new Excess(share, used, Math.ceilDiv(bytes, unit.size().bytes())));
            }
        }
        Map<PodOnCard, Instant> above = new HashMap<>();
        List<Offender> offenders = new ArrayList<>();
        pods.forEach((pod, memory) -> {
            if (counted(memory.used(), memory.processes()) > memory.limit()) {
                Instant start = since.getOrDefault(pod, now);
                above.put(pod, start);
                offenders.add(new Offender(pod.pod(), pod.card(), memory.used() - memory.limit(), start));
            }
        });
        offenders.sort(Comparator.comparingLong(Offender::bytes)
                .reversed()
                .thenComparing(each -> each.pod().uid()));
        List<Excess> unreported =
                excesses.stream().filter(excess -> isDue(excess, now)).toList();
        return new Found(new OverUse(above, reportsWith(unreported, now)), excesses, unreported, offenders);
    }

    private boolean isDue(Excess excess, Instant now) {
        Report last = reports.get(excess.share().key());
        return last == null
                || !now.isBefore(last.at().plus(REMINDER))
                || (excess.neededUnits() > last.units()
                        && !now.isBefore(last.at().plus(GROWTH)));
    }

    private Map<NodeUsage.ContainerOnCard, Report> reportsWith(List<Excess> reported, Instant now) {
        Map<NodeUsage.ContainerOnCard, Report> next = new HashMap<>(reports);
        next.values().removeIf(last -> !now.isBefore(last.at().plus(REMINDER)));
        reported.forEach(excess -> next.put(excess.share().key(), new Report(now, excess.neededUnits())));
        return next;
    }
}
