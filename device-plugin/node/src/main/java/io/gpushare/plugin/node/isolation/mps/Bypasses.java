package io.gpushare.plugin.node.isolation.mps;

import io.gpushare.model.card.CardId;
import io.gpushare.plugin.node.usage.ContainerShare;
import io.gpushare.plugin.node.usage.NodeUsage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongFunction;

/**
 * Processes of containers with a memory share that compute without MPS, because they started while there was no control
 * daemon, or on a MIG instance look for it elsewhere. They have no limit, and in compute mode EXCLUSIVE_PROCESS MPS
 * can't start beside them. Not thread-safe.
 */
final class Bypasses {
    /** A process to terminate, and the share of its container. */
    record Victim(long pid, ContainerShare share) {}

    /** A process, and not a later one of its number. */
    private record Started(CardId card, long pid, long time) {}

    private final Duration grace;
    private final LongFunction<OptionalLong> starts;
    private final Map<Started, Instant> since = new HashMap<>();
    private final Set<Started> terminating = new HashSet<>();

    /**
     * @param grace how long a process may compute without MPS
     * @param starts when a process started; empty if it is not visible
     */
    Bypasses(Duration grace, LongFunction<OptionalLong> starts) {
        this.grace = grace;
        this.starts = starts;
    }

    /**
     * The processes that have to be terminated from now on.
     *
     * @param shares of memory on cards with MPS
     * @param bypassing what the supervisor reports of a card
     */
    List<Victim> evaluate(
            List<ContainerShare> shares, NodeUsage usage, Function<CardId, Collection<Long>> bypassing, Instant now) {
        Map<Started, ContainerShare> found = new HashMap<>();
        for (ContainerShare share : shares) {
            CardId card = share.card().id();
            Set<Long> own =
                    new HashSet<>(usage.of(share).map(NodeUsage.Measured::pids).orElse(Set.of()));
            own.retainAll(bypassing.apply(card));
            own.forEach(pid -> starts.apply(pid).ifPresent(time -> found.put(new Started(card, pid, time), share)));
        }
        since.keySet().retainAll(found.keySet());
        terminating.retainAll(found.keySet());
        List<Victim> victims = new ArrayList<>();
        found.forEach((process, share) -> {
            Instant start = since.computeIfAbsent(process, _ -> now);
            if (!now.isBefore(start.plus(grace)) && terminating.add(process)) {
                victims.add(new Victim(process.pid(), share));
            }
        });
        return victims;
    }

    /** The processes on that card that are being terminated. */
    List<Long> terminating(CardId card) {
        return terminating.stream()
                .filter(process -> process.card().equals(card))
                .map(Started::pid)
                .sorted()
                .toList();
    }
}
