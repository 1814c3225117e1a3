package io.gpushare.plugin.cluster;

import io.gpushare.kubernetes.EventSeries;
import io.gpushare.kubernetes.PodEvent;
import io.gpushare.model.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which Events to record where the same is told of the same pod again and again: the first at once, what follows together
 * after 1, 2, 4, … minutes, an hour at most. What was not told again for ten minutes beyond that is new the next time. Not
 * for several threads at once.
 */
final class EventBackoff {
    private static final Duration FIRST = Duration.ofMinutes(1);
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final Duration QUIET = Duration.ofMinutes(10);
    // What is beyond is not remembered, and so recorded each time.
    private static final int MOST = 1024;

    /** Something told of a pod. */
    record Telling(PodRef about, PodEvent event) {}

    /** An Event to record now. */
    record Due(Telling telling, EventSeries times) {}

    /**
     * What was told before.
     *
     * @param next before that no Event is recorded
     * @param held what was told since the last one; null for nothing
     */
    private record Known(
            Instant next, Duration pause, @Nullable EventSeries held) {
        static Known first(Instant now) {
            return new Known(now.plus(FIRST), FIRST, null);
        }

        Known holding(Instant now) {
            return new Known(next, pause, held == null ? EventSeries.once(now) : held.again(now));
        }

        Known recorded(Instant now) {
            Duration twice = pause.multipliedBy(2);
            Duration longer = twice.compareTo(LONGEST) < 0 ? twice : LONGEST;
            return new Known(now.plus(longer), longer, null);
        }
    }

    private final Map<Telling, Known> known = new LinkedHashMap<>();

    /** That is told; the Event for it, or empty if it is held back. */
    Optional<Due> told(Telling telling, Instant now) {
        @Nullable Known before = known.get(telling);
        if (before != null && (before.held() != null || now.isBefore(before.next()))) {
            known.put(telling, before.holding(now));
            return Optional.empty();
        }
        if (before != null || known.size() < MOST) {
            known.put(telling, before == null ? Known.first(now) : before.recorded(now));
        }
        return Optional.of(new Due(telling, EventSeries.once(now)));
    }

    /** The Events for what was held back long enough. */
    List<Due> due(Instant now) {
        known.values()
                .removeIf(is -> is.held() == null && !now.isBefore(is.next().plus(QUIET)));
        List<Due> due = new ArrayList<>();
        known.replaceAll((telling, is) -> {
            EventSeries held = is.held();
            if (held == null || now.isBefore(is.next())) {
                return is;
            }
            due.add(new Due(telling, held));
            return is.recorded(now);
        });
        return due;
    }
}
