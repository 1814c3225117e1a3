package io.gpushare.plugin.node.cards;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Health;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class CardHealthTest {
    private static final CardId A = new CardId("GPU-a");
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration QUIET = Duration.ofSeconds(10);

    private final CardHealth health = new CardHealth(QUIET);

    @Test
    void anXidMakesTheCardUnhealthyUntilTheQuietTimeIsOver() {
        health.xid(A, 79, NOW);

        assertThat(health.ofPresent(A, NOW)).isEqualTo(new Health.Unhealthy("Xid 79"));
        assertThat(health.ofPresent(A, NOW.plusMillis(9_999))).isEqualTo(new Health.Unhealthy("Xid 79"));
        assertThat(health.ofPresent(A, NOW.plus(QUIET))).isEqualTo(new Health.Healthy());
    }

    @Test
    void anotherXidRestartsTheQuietTime() {
        health.xid(A, 79, NOW);
        health.xid(A, 48, NOW.plusSeconds(9));

        assertThat(health.ofPresent(A, NOW.plusSeconds(12))).isEqualTo(new Health.Unhealthy("Xid 48"));
        assertThat(health.ofPresent(A, NOW.plusSeconds(19))).isEqualTo(new Health.Healthy());
    }

    @Test
    void aLostCardIsUnhealthyAndItsQuietTimeStartsWhenItIsBack() {
        health.xid(A, 79, NOW);

        assertThat(health.ofLost(A, "GPU is lost", NOW.plusSeconds(60))).isEqualTo(new Health.Unhealthy("GPU is lost"));
        assertThat(health.ofPresent(A, NOW.plusSeconds(61))).isEqualTo(new Health.Unhealthy("Xid 79"));
        assertThat(health.ofPresent(A, NOW.plusSeconds(70))).isEqualTo(new Health.Healthy());
    }

    @Test
    void aLostCardWithoutAnXidIsHealthyWhenItIsBack() {
        assertThat(health.ofLost(A, "GPU is lost", NOW)).isEqualTo(new Health.Unhealthy("GPU is lost"));
        assertThat(health.ofPresent(A, NOW.plusSeconds(1))).isEqualTo(new Health.Healthy());
    }
}
