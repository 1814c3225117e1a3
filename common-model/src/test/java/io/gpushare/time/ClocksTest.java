package io.gpushare.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ClocksTest {
    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");

    private Instant wall = NOON;
    private long nanos = Long.MAX_VALUE - 5;
    private final Clocks clocks = Clocks.of(() -> wall, () -> nanos);

    @Test
    void theSteadyClockAdvancesByTheCounterAndIgnoresStepsOfTheWallClock() {
        assertThat(clocks.steady().instant()).isEqualTo(NOON);
        for (Duration step : new Duration[] {Duration.ofHours(-1), Duration.ofHours(5)}) {
            wall = NOON.plus(step);
            assertThat(clocks.steady().instant()).isEqualTo(NOON);
            assertThat(clocks.wall().instant()).isEqualTo(NOON.plus(step));
        }
        nanos += Duration.ofSeconds(2).toNanos(); // overflows, as System.nanoTime() may
        assertThat(clocks.steady().instant()).isEqualTo(NOON.plusSeconds(2));
    }
}
