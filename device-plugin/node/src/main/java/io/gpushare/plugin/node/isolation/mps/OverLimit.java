package io.gpushare.plugin.node.isolation.mps;

import io.gpushare.model.card.CardId;
import io.gpushare.plugin.node.isolation.mps.MpsIsolation.Measured;
import io.gpushare.plugin.node.usage.CardProcess;
import io.gpushare.plugin.node.usage.ContainerShare;
import io.gpushare.plugin.node.usage.NodeUsage;
import io.gpushare.plugin.node.usage.OverUse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongFunction;

/**
 * Containers whose processes together exceed their limit, which MPS allows: its limits are of single processes. The
 * newest process of a container that stays above its limit, or of all that have a share together, is terminated; the
 * next one only after a newer measurement. Not thread-safe.
 */
final class OverLimit {
    /** A process to terminate, and the excess of its container. */
    record Victim(long pid, OverUse.Excess excess) {}

    private final Duration grace;
    private final LongFunction<OptionalLong> starts;
    /** By the containers that have a share together. */
    private final Map<Set<NodeUsage.ContainerOnCard>, Instant> since = new HashMap<>();

    private final Map<Set<NodeUsage.ContainerOnCard>, Instant> acted = new HashMap<>();
    private final Map<CardId, Set<Long>> terminating = new HashMap<>();

    /**
     * @param grace how long a container may stay above its limit
     * @param starts when a process started; empty if it is not visible
     */
    OverLimit(Duration grace, LongFunction<OptionalLong> starts) {
        this.grace = grace;
        this.starts = starts;
    }

    /** The processes that have to be terminated from now on, on cards with MPS. */
    List<Victim> evaluate(Measured measured, Set<CardId> cards, Instant now) {
        List<Victim> victims = new ArrayList<>();
        Set<Set<NodeUsage.ContainerOnCard>> above = new HashSet<>();
        for (OverUse.Excess excess : measured.excesses()) {
            Set<NodeUsage.ContainerOnCard> containers = excess.share().together();
            CardId card = excess.share().card().id();
            List<CardProcess> remaining = remaining(measured, containers, card);
            if (!cards.contains(card) || !exceed(remaining, excess.share())) {
                continue;
            }
            above.add(containers);
            Instant measuredAt = measured.usage().reported().at();
            Instant start = since.computeIfAbsent(containers, _ -> measuredAt);
            Instant last = acted.getOrDefault(containers, Instant.MIN);
            Optional<Long> newest = newest(remaining).filter(pid -> owns(measured, excess, pid));
            if (newest.isPresent() && !now.isBefore(start.plus(grace)) && measuredAt.isAfter(last)) {
                acted.put(containers, now);
                terminating.computeIfAbsent(card, _ -> new HashSet<>()).add(newest.get());
                victims.add(new Victim(newest.get(), excess));
            }
        }
        since.keySet().retainAll(above);
        acted.keySet().retainAll(above);
        forgetEnded(measured);
        return victims;
    }

    /** Whether the process is of that container, and not of one that has the share together with it. */
    private static boolean owns(Measured measured, OverUse.Excess excess, long pid) {
        return measured.usage()
                .of(excess.share())
                .filter(own -> own.pids().contains(pid))
                .isPresent();
    }

    /**
     * The processes of these containers without those that have ended since the measurement or are being terminated:
     * what these used must not be held against the others.
     */
    private List<CardProcess> remaining(Measured measured, Set<NodeUsage.ContainerOnCard> containers, CardId card) {
        Set<Long> own = measured.usage().pids(containers);
        return processes(measured, card).stream()
                .filter(process -> own.contains(process.pid())
                        && starts.apply(process.pid()).isPresent()
                        && !terminating.getOrDefault(card, Set.of()).contains(process.pid()))
                .toList();
    }

    private static boolean exceed(List<CardProcess> processes, ContainerShare share) {
        long bytes = processes.stream()
                .mapToLong(process -> process.memoryUsedBytes().orElse(0))
                .sum();
        return OverUse.counted(bytes, processes.size()) > share.memory().bytes();
    }

    /** The one that took what the others had left. */
    private Optional<Long> newest(List<CardProcess> processes) {
        return processes.stream()
                .map(CardProcess::pid)
                .max(Comparator.comparingLong((Long pid) -> starts.apply(pid).orElse(0))
                        .thenComparing(Comparator.naturalOrder()));
    }

    private static List<CardProcess> processes(Measured measured, CardId card) {
        return measured.usage().reported().processes(card);
    }

    private void forgetEnded(Measured measured) {
        terminating.forEach((card, pids) -> {
            if (measured.usage().reported().cards().containsKey(card)) {
                Set<Long> present = new HashSet<>();
                processes(measured, card).forEach(process -> present.add(process.pid()));
                pids.retainAll(present);
            }
        });
    }

    /** The processes on that card that are being terminated. */
    List<Long> terminating(CardId card) {
        return terminating.getOrDefault(card, Set.of()).stream().sorted().toList();
    }
}
