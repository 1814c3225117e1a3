package io.gpushare.time;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * The two clocks of a program. An operator or NTP may set the wall clock at any time, by hours. So durations, deadlines
 * and the order of events are measured with the steady clock, and the wall clock gives only the times that are shown or
 * sent.
 *
 * @param steady never steps; its instants are compared only with each other
 * @param wall the time of day
 */
public record Clocks(InstantSource steady, InstantSource wall) {

    /** The clocks of this machine. */
    public static Clocks system() {
        Machine here = Machine.here();
        return of(here::now, here::nanos);
    }

    /**
     * A steady clock that starts at the wall clock's time now and advances by the nanoseconds of a monotonic counter.
     */
    public static Clocks of(InstantSource wall, LongSupplier nanos) {
        Instant start = wall.instant();
        long began = nanos.getAsLong();
        return new Clocks(() -> start.plusNanos(nanos.getAsLong() - began), wall);
    }
}
