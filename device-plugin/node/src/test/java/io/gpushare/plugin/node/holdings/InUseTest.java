package io.gpushare.plugin.node.holdings;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.plugin.node.pod.TestPods;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class InUseTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");
    private static final Inventory CARDS = new Inventory(
            MemoryUnit.GIB,
            null,
            List.of(Card.of("GPU-a", 0, Memory.ofGib(15)), Card.of("GPU-b", 1, Memory.ofGib(15))));

    private static final Holder POD = Holder.pod(TestPods.ref("p"), TestPods.allocation(TestPods.share("main", A, 2)));
    private static final Holder CLAIM = TestNode.claim("c", TestPods.share("gpu", B, 2));

    private static Map<CardId, String> inUse(Offer active, OfferHoldings pods, OfferHoldings claims) {
        Map<Offer, OfferHoldings> all = Map.of(Offer.DEVICE_PLUGIN, pods, Offer.CLAIMS, claims);
        return InUse.of(Holdings.of(CARDS, List.of(), all, Map.of()), active).among(CARDS.cards());
    }

    private static OfferHoldings of(Holder... holders) {
        return new OfferHoldings(List.of(holders), Set.of(), true);
    }

    @Test
    void aCardIsInUseByWhoeverHasItByTheOfferThatIsNotActive() {
        assertThat(inUse(Offer.DEVICE_PLUGIN, of(POD), of(CLAIM))).containsExactly(Map.entry(B, "claim default/c"));
        assertThat(inUse(Offer.CLAIMS, of(POD), of(CLAIM))).containsExactly(Map.entry(A, "pod default/p"));
        assertThat(inUse(Offer.CLAIMS, of(), of(CLAIM))).isEmpty();
    }

    @Test
    void aCardOfAClaimWhosePodsAreGoneIsInUseWhereNobodyCountsItAnyMore() {
        OfferHoldings left = new OfferHoldings(List.of(CLAIM), Set.of(), Map.of("claim default/c", Set.of(B)), true);
        assertThat(inUse(Offer.CLAIMS, of(), left)).containsExactly(Map.entry(B, "claim default/c"));
        assertThat(inUse(Offer.DEVICE_PLUGIN, of(), left)).containsExactly(Map.entry(B, "claim default/c"));
    }

    @Test
    void whoMayHaveAnyCardHasAll() {
        OfferHoldings unknown = new OfferHoldings(List.of(CLAIM), Set.of("file /torn"), true);
        assertThat(inUse(Offer.DEVICE_PLUGIN, of(), unknown))
                .containsOnly(Map.entry(A, "file /torn"), Map.entry(B, "claim default/c, file /torn"));
        assertThat(inUse(Offer.CLAIMS, of(), unknown)).isEmpty();
    }

    @Test
    void aCardOnWhichSomebodyStillComputesIsInUseWhateverTheOfferAndTheNodeHasCards() {
        Map<Offer, OfferHoldings> all = Map.of(Offer.DEVICE_PLUGIN, of(POD), Offer.CLAIMS, of());
        Holdings holdings = Holdings.of(CARDS, List.of(), all, Map.of("pod default/p", Set.of(A, B)));
        for (Offer active : Offer.values()) {
            InUse now = InUse.of(holdings, active);
            assertThat(now.among(CARDS.cards()))
                    .containsOnly(Map.entry(A, "pod default/p"), Map.entry(B, "pod default/p"));
            assertThat(now.holdsAll(CARDS.cards())).isFalse();
        }
    }

    /** Anybody can write an annotation; only what nobody can write keeps a card. */
    @Test
    void aHolderKeepsNoCardThatNoRecordProves() {
        Holder forged = new Holder(Offer.DEVICE_PLUGIN, POD.ref(), POD.allocation(), Map.of(), Set.of());
        assertThat(inUse(Offer.CLAIMS, of(forged), of())).isEmpty();
    }

    @Test
    void theInstancesOfACardAreInUseWithItAndManyHoldersAreAFewNames() {
        Inventory instances = new Inventory(MemoryUnit.GIB, null, List.of(TestPods.instance("MIG-1", 1, "1g.10gb", 9)));
        Holder[] holders = List.of("a", "b", "c", "d", "e").stream()
                .map(name -> new Holder(
                        Offer.CLAIMS,
                        new PodRef("uid-" + name, "default", name),
                        Optional.empty(),
                        Map.of(),
                        Set.of(new CardId("GPU-parent"))))
                .toArray(Holder[]::new);
        Holdings all = Holdings.of(instances, List.of(), Map.of(Offer.CLAIMS, of(holders)), Map.of());
        assertThat(InUse.of(all, Offer.DEVICE_PLUGIN).among(instances.cards()))
                .containsExactly(Map.entry(
                        new CardId("MIG-1"), "claim default/a, claim default/b, claim default/c, and 2 more"));
    }
}
