package io.gpushare.kubernetes.event;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.kubernetes.Events;
import io.gpushare.kubernetes.PodEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides which Events to record when the same one is reported repeatedly: the first one at once, further ones
 * combined after 1, 2, 4, … minutes, at most an hour. An Event that was not reported for ten minutes beyond that is
 * new. Not thread-safe.
 */
final class EventBackoff {
    private static final Duration FIRST = Duration.ofMinutes(1);
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final Duration QUIET = Duration.ofMinutes(10);
    // Events beyond this number are not remembered, and so recorded each time.
    private static final int MOST = 1024;

    /** An Event about a pod or the node. */
    record Report(EventSubject about, PodEvent event) {}

    /** An Event to record now. */
    record Due(Report report, Events.Series times) {}

    /**
     * The state of a repeated Event.
     *
     * @param next the earliest time of the next record
     * @param pending the reports since the last record; null if there is none
     */
    private record Known(Instant next, Duration pause, Events.@Nullable Series pending) {
        static Known first(Instant now) {
            return new Known(now.plus(FIRST), FIRST, null);
        }

        Known withReport(Instant wall) {
            return new Known(next, pause, pending == null ? Events.Series.once(wall) : pending.again(wall));
        }

        Known recorded(Instant now) {
            Duration twice = pause.multipliedBy(2);
            Duration longer = twice.compareTo(LONGEST) < 0 ? twice : LONGEST;
            return new Known(now.plus(longer), longer, null);
        }
    }

    private final Map<Report, Known> known = new LinkedHashMap<>();

    /**
     * The Event to record for this report; empty if it is delayed.
     *
     * @param wall the time of day, which the Event shows
     */
    Optional<Due> report(Report report, Instant now, Instant wall) {
        @Nullable Known before = known.get(report);
        if (before != null && (before.pending() != null || now.isBefore(before.next()))) {
            known.put(report, before.withReport(wall));
            return Optional.empty();
        }
        if (before != null || known.size() < MOST) {
            known.put(report, before == null ? Known.first(now) : before.recorded(now));
        }
        return Optional.of(new Due(report, Events.Series.once(wall)));
    }

    /** The delayed Events whose time has come. */
    List<Due> due(Instant now) {
        known.values()
                .removeIf(each ->
                        each.pending() == null && !now.isBefore(each.next().plus(QUIET)));
        List<Due> due = new ArrayList<>();
        known.replaceAll((report, each) -> {
            Events.Series pending = each.pending();
            if (pending == null || now.isBefore(each.next())) {
                return each;
            }
            due.add(new Due(report, pending));
            return each.recorded(now);
        });
        return due;
    }
}
