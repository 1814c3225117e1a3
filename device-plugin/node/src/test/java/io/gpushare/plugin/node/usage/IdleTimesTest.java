package io.gpushare.plugin.node.usage;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.Memory;
import io.gpushare.plugin.node.usage.NodeUsage.Measured;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

class IdleTimesTest {
    private static final Instant NOW = Instant.parse("2026-11-25T12:00:00Z");
    private static final Card CARD = Card.of("GPU-a", 0, Memory.ofGib(15));
    private static final ContainerShare SHARE =
            new ContainerShare(new PodRef("uid", "lab", "p"), "main", CARD, 3, Memory.ofGib(3), Memory.ofGib(3));

    private static NodeUsage percent(OptionalInt percent) {
        return new NodeUsage(
                new CardUsages(NOW, Map.of(CARD.id(), TestUsages.of(List.of()))),
                Optional.of(Map.of(SHARE.key(), new Measured(new ProcessUse(OptionalLong.of(0), percent), Set.of(1L)))),
                Map.of());
    }

    private static IdleTimes after(IdleTimes before, int percent, Duration time) {
        return before.with(List.of(SHARE), percent(OptionalInt.of(percent)), NOW.plus(time));
    }

    @Test
    void aContainerIsIdleSinceItLastComputedOrSinceItIsKnown() {
        IdleTimes times = after(IdleTimes.NONE, 0, Duration.ZERO);
        assertThat(times.of(SHARE, NOW.plusSeconds(10))).contains(Duration.ofSeconds(10));
        times = after(times, 0, Duration.ofMinutes(10));
        assertThat(times.of(SHARE, NOW.plusSeconds(700))).contains(Duration.ofSeconds(700));
        times = after(times, 1, Duration.ofMinutes(20));
        assertThat(times.of(SHARE, NOW.plus(Duration.ofMinutes(50)))).contains(Duration.ofMinutes(30));
    }

    @Test
    void unknownUtilisationIsNotIdle() {
        IdleTimes times = after(IdleTimes.NONE, 0, Duration.ZERO);
        times = times.with(List.of(SHARE), percent(OptionalInt.empty()), NOW.plusSeconds(60));
        assertThat(times.of(SHARE, NOW.plusSeconds(60))).isEmpty();
        assertThat(times.with(List.of(), percent(OptionalInt.of(0)), NOW).active())
                .isEmpty();
    }
}
