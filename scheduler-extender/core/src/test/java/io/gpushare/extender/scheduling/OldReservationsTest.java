package io.gpushare.extender.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.Placer;
import io.gpushare.model.HostResources;
import io.gpushare.model.card.Card;
import io.gpushare.model.codec.InventoryCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OldReservationsTest {
    private static final String INVENTORY = InventoryCodec.encode(TestCluster.cards(16, 16));

    private final Placer placer = TestCluster.placer();
    private final Ledger ledger = placer.ledger();
    private static final Duration LONGEST = Duration.ofMinutes(2);
    private Instant now = Instant.EPOCH;

    @Test
    void aReservationThatNobodyRenewsEndsAndStaysEnded() {
        reserve("run=r;renewed=1;cards=GPU-0");
        after(Duration.ZERO);
        assertThat(reservedCards()).isEqualTo(1);
        after(LONGEST.minusSeconds(1));
        assertThat(reservedCards()).isEqualTo(1);
        reserve("run=r;renewed=2;cards=GPU-0,GPU-1");
        after(Duration.ofSeconds(1));
        assertThat(reservedCards()).isEqualTo(2);
        after(LONGEST);
        assertThat(reservedCards()).isZero();
        reserve("run=r;renewed=2;cards=GPU-0,GPU-1");
        assertThat(reservedCards())
                .as("the same annotation in a later event of the node")
                .isZero();
        reserve("run=r;renewed=3;cards=GPU-0");
        assertThat(reservedCards()).isEqualTo(1);
        reserve("");
        assertThat(reservedCards()).isZero();
        assertThat(ledger.reservations(_ -> true)).isEmpty();
    }

    @Test
    void aReservationSurvivesAnotherInventoryAndOneThatCantBeReadReservesNothing() {
        reserve("run=r;renewed=1;cards=GPU-0");
        ledger.updateNode(
                "n",
                Map.of(
                        "gpushare.io/inventory",
                        InventoryCodec.encode(TestCluster.cards(16, 16, 16)),
                        "gpushare.io/hold",
                        "run=r;renewed=1;cards=GPU-0"),
                HostResources.NONE);
        assertThat(reservedCards()).isEqualTo(1);
        for (String wrong : new String[] {"yes", "cards=GPU-0", "run=;cards=GPU-0", ";;=;", "run=r"}) {
            reserve(wrong);
            assertThat(reservedCards()).as(wrong).isZero();
        }
    }

    private void reserve(String annotation) {
        ledger.updateNode(
                "n", Map.of("gpushare.io/inventory", INVENTORY, "gpushare.io/hold", annotation), HostResources.NONE);
    }

    private void after(Duration time) {
        now = now.plus(time);
        OldReservations.end(ledger, now);
    }

    private long reservedCards() {
        return ledger.nodeEntry("n").cards().inventory().cards().stream()
                .filter(Card::held)
                .count();
    }
}
