package io.gpushare.insight.waste;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.scheduling.TestCluster;
import io.gpushare.insight.waste.LedgerStats.Amounts;
import io.gpushare.model.HostResources;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.MigInstance;
import io.gpushare.model.card.NoCards;
import io.gpushare.model.codec.InventoryCodec;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LedgerStatsTest {
    private final Placer placer = TestCluster.placer();
    private final Ledger ledger = placer.ledger();

    @Test
    void aNodeWhosePluginIsGoneOffersNothing() {
        node("n1", TestCluster.cards(15));
        node("n2", TestCluster.cards(15));
        ledger.updateStale(Set.of("n1"));
        LedgerStats stats = stats();
        assertThat(stats.nodes()).containsEntry("usable", 1).containsEntry("not_renewed", 1);
        Amounts stale = Objects.requireNonNull(stats.usable().get("n1"));
        assertThat(stale.capacity()).isPositive();
        assertThat(stale.free()).isZero();
    }

    /** The Lease is one that a device plugin left, which did not end as planned: nothing renews it. */
    @Test
    void aNodeThatServesClaimsOffersItsCardsWhateverItsLease() {
        Inventory cards = TestCluster.cards(15);
        node("n1", cards.withNoCards(new NoCards(NoCards.Cause.SERVES_CLAIMS)));
        ledger.updateStale(Set.of("n1"));
        assertThat(stats().nodes()).containsEntry("serves_claims", 1).containsEntry("not_renewed", 0);
        assertThat(Objects.requireNonNull(stats().usable().get("n1")).free()).isPositive();
        node("n1", cards);
        assertThat(stats().nodes()).containsEntry("not_renewed", 1);
        ledger.updateStale(Set.of());
        assertThat(stats().nodes()).containsEntry("usable", 1);
    }

    @Test
    void aTaintedCardHasNothingFree() {
        node("n1", TestCluster.cards(15).withNoCards(new NoCards(NoCards.Cause.SERVES_CLAIMS)));
        ledger.updateTaints(
                (_, inventory) -> Map.of(inventory.cards().getFirst().id(), "k=v:NoSchedule by DeviceTaintRule r"));
        LedgerStats.Amounts amounts = Objects.requireNonNull(stats().usable().get("n1"));
        assertThat(amounts.cards()).containsExactly(Map.entry(LedgerStats.CardUse.CORDONED, 1));
        assertThat(amounts.free()).isZero();
        assertThat(amounts.capacity()).isEqualTo(15L << 30);
    }

    @Test
    void anInstanceCountsForTheModelOfItsCard() {
        MigInstance instance = new MigInstance(new CardId("GPU-parent"), "3g.40gb", 1, 0, List.of());
        Card card = new Card(
                new CardId("MIG-3"),
                1,
                1,
                "NVIDIA H100",
                Memory.ofGib(39),
                new Card.Details(null, null, null, true, instance));
        node("n1", new Inventory(MemoryUnit.GIB, null, List.of(card)));
        assertThat(stats().models()).containsOnlyKeys("NVIDIA H100");
    }

    /** Every amount is one that the annotation's format allows. */
    @Test
    void amountsBeyondAnyCardAreAddedUp() {
        for (String mib : List.of("0", String.valueOf(Integer.MAX_VALUE))) {
            ledger.updateNode(
                    "n" + mib,
                    Map.of(
                            "gpushare.io/inventory",
                            "{\"version\":1,\"unitMiB\":1,\"cards\":[{\"uuid\":\"GPU-a\",\"index\":0,\"minor\":0,"
                                    + "\"model\":\"Tesla T4\",\"memoryMiB\":" + mib + "}]}"),
                    HostResources.NONE);
        }
        assertThat(stats().nodes().values()).as("by state").contains(2);
    }

    private void node(String name, Inventory inventory) {
        ledger.updateNode(name, Map.of("gpushare.io/inventory", InventoryCodec.encode(inventory)), HostResources.NONE);
    }

    private LedgerStats stats() {
        return LedgerStats.of(ledger.state(), placer.fragmentation());
    }
}
