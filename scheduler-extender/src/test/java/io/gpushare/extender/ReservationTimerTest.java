package io.gpushare.extender;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.scheduling.TestCluster;
import io.gpushare.model.HostResources;
import io.gpushare.model.card.Card;
import io.gpushare.model.codec.InventoryCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HoldTimerTest {
    private static final String INVENTORY = InventoryCodec.encode(TestCluster.cards(16, 16));

    private final Placer placer = TestCluster.placer();
    private final Ledger ledger = placer.ledger();
    private Instant now = Instant.EPOCH;
    private final HoldTimer timer = new HoldTimer(ledger, () -> now);

    @Test
    void aHoldThatNobodyRenewsEndsAndStaysEnded() {
        held("run=r;renewed=1;cards=GPU-0");
        after(Duration.ZERO);
        assertThat(heldCards()).isEqualTo(1);
        after(HoldTimer.LONGEST.minusSeconds(1));
        assertThat(heldCards()).isEqualTo(1);
        held("run=r;renewed=2;cards=GPU-0,GPU-1");
        after(Duration.ofSeconds(1));
        assertThat(heldCards()).isEqualTo(2);
        after(HoldTimer.LONGEST);
        assertThat(heldCards()).isZero();
        held("run=r;renewed=2;cards=GPU-0,GPU-1");
        assertThat(heldCards())
                .as("the same annotation in a later event of the node")
                .isZero();
        held("run=r;renewed=3;cards=GPU-0");
        assertThat(heldCards()).isEqualTo(1);
        held("");
        assertThat(heldCards()).isZero();
        assertThat(ledger.holds()).isEmpty();
    }

    @Test
    void aHoldSurvivesAnotherInventoryAndOneThatCantBeReadHoldsNothing() {
        held("run=r;renewed=1;cards=GPU-0");
        ledger.updateNode(
                "n",
                Map.of(
                        "gpushare.io/inventory",
                        InventoryCodec.encode(TestCluster.cards(16, 16, 16)),
                        "gpushare.io/hold",
                        "run=r;renewed=1;cards=GPU-0"),
                HostResources.NONE);
        assertThat(heldCards()).isEqualTo(1);
        for (String wrong : new String[] {"yes", "cards=GPU-0", "run=;cards=GPU-0", ";;=;", "run=r"}) {
            held(wrong);
            assertThat(heldCards()).as(wrong).isZero();
        }
    }

    private void held(String hold) {
        ledger.updateNode(
                "n", Map.of("gpushare.io/inventory", INVENTORY, "gpushare.io/hold", hold), HostResources.NONE);
    }

    private void after(Duration time) {
        now = now.plus(time);
        timer.endOld();
    }

    private long heldCards() {
        return ledger.nodeEntry("n").cards().inventory().cards().stream()
                .filter(Card::held)
                .count();
    }
}
