package io.gpushare.model.claims;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PreparedClaimsTest {
    private static final Card CARD = Card.of("GPU-A", 0, Memory.ofGib(8));
    private static final PreparedClaims NONE = PreparedClaims.of(node(CARD));

    @Test
    void claimsShareACardUntilItIsFull() {
        PreparedClaims five = NONE.with(claim("first"), allocation(Share.memory(5)));

        assertThat(five.refusal(claim("second"), allocation(Share.memory(3)))).isEmpty();
        assertThat(five.refusal(claim("second"), allocation(Share.memory(4))))
                .contains(
                        "claim team/second: card GPU-A was given twice: it is held by claim team/first. The pod starts"
                                + " when they end, or recreate it");
    }

    @Test
    void aCardTakenWholeIsNobodyElses() {
        PreparedClaims whole = NONE.with(claim("first"), allocation(Share.WHOLE_CARD));
        PreparedClaims shared = NONE.with(claim("first"), allocation(Share.memory(1)));

        assertThat(whole.refusal(claim("second"), allocation(Share.memory(1)))).isPresent();
        assertThat(shared.refusal(claim("second"), allocation(Share.WHOLE_CARD)))
                .isPresent();
        assertThat(whole.without("uid-first").refusal(claim("second"), allocation(Share.memory(8))))
                .isEmpty();
    }

    @Test
    void aClaimThatHasItsCardsKeepsThemWhateverHappened() {
        PreparedClaims twice = NONE.with(claim("first"), allocation(Share.memory(8)))
                .with(claim("second"), allocation(Share.memory(8)))
                .withInventory(Inventory.empty(MemoryUnit.GIB));

        assertThat(twice.refusal(claim("second"), allocation(Share.memory(8)))).isEmpty();
        assertThat(twice.refusal(claim("third"), allocation(Share.memory(1))))
                .contains("claim team/third: card GPU-A is not on this node: recreate the pod");
    }

    @Test
    void anIllOrCordonedCardIsKubeSchedulersDecisionAndNeverHidesAnOverlap() {
        Card ill = CARD.withHealth(new Health.Unhealthy("Xid 79"))
                .withCordoned(true)
                .withInUse("pod default/p");
        PreparedClaims node = PreparedClaims.of(node(ill));

        assertThat(node.refusal(claim("first"), allocation(Share.memory(8)))).isEmpty();
        assertThat(node.with(claim("first"), allocation(Share.memory(8)))
                        .refusal(claim("second"), allocation(Share.memory(1))))
                .get()
                .asString()
                .contains("held by claim team/first");
    }

    @Test
    void aCardThatCantIsolateIsGivenWholeOnly() {
        PreparedClaims closed = PreparedClaims.of(node(CARD.withIsolation(CardIsolation.closed("MPS does not run"))));

        assertThat(closed.refusal(claim("first"), allocation(Share.memory(1))))
                .contains("claim team/first: card GPU-A offers no memory (MPS does not run)");
        assertThat(closed.refusal(claim("first"), allocation(Share.WHOLE_CARD))).isEmpty();
    }

    @Test
    void moreThanTheCardHasAndCoresThatNothingLimitsAreRefused() {
        assertThat(NONE.refusal(claim("first"), allocation(Share.memory(9))))
                .contains("claim team/first: card GPU-A does not have as much: recreate the pod");
        assertThat(NONE.refusal(claim("first"), allocation(Share.memory(1).plus(Share.cores(10)))))
                .contains("claim team/first: card GPU-A does not limit cores as requested: recreate the pod");
    }

    @Test
    void aSentenceNamesAtMostThreeHolders() {
        PreparedClaims full = NONE;
        for (String name : IntStream.range(0, 8).mapToObj(String::valueOf).toList()) {
            full = full.with(claim(name), allocation(Share.memory(1)));
        }

        assertThat(full.refusal(claim("ninth"), allocation(Share.memory(1))))
                .get()
                .asString()
                .contains("held by claim team/0, claim team/1, claim team/2. ");
    }

    private static Inventory node(Card card) {
        return new Inventory(MemoryUnit.GIB, null, List.of(card)).withBeside(Share.ALL_CORES);
    }

    private static ResourceClaim claim(String name) {
        return new ResourceClaim("uid-" + name, "team", name, List.of(), List.of(), List.of());
    }

    private static Allocation allocation(Share share) {
        return new Allocation(
                MemoryUnit.GIB,
                List.of(new ContainerAllocation("gpu", ContainerRole.APP, Map.of(new CardId("GPU-A"), share))));
    }
}
