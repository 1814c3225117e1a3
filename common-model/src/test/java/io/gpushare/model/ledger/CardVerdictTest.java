package io.gpushare.model.ledger;

import static io.gpushare.model.ledger.TestCards.instance;
import static io.gpushare.model.ledger.TestCards.memory;
import static io.gpushare.model.ledger.TestCards.node;
import static io.gpushare.model.ledger.TestCards.pod;
import static io.gpushare.model.ledger.TestCards.whole;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each verdict in words: of one card, and of the nearest cards of several nodes. */
class CardVerdictTest {
    private static final Card CARD = Card.of("GPU-0", 0, Memory.ofGib(15));

    @Test
    void aCardThatPodsHaveSaysWhatIsLeft() {
        assertThat(verdict(memory(4), CARD)).extracting(CardVerdict::sentence).isEqualTo("fits");
        NodeCards shared = NodeCards.of(node(15)).with(pod("p"), placed(memory(12)));
        assertSays(
                verdict(memory(4), shared),
                "3 GiB of 15 GiB free, 4 GiB needed",
                "at most 3 GiB of 15 GiB free on one card, 4 GiB needed");
        assertSays(
                verdict(whole(1), shared),
                "serves memory pods, so it can't be taken whole",
                "shared by memory pods, so they can't be taken whole");
        NodeCards taken = NodeCards.of(node(15)).with(pod("p"), placed(whole(1)));
        assertSays(verdict(memory(4), taken), "taken whole", "taken whole by other pods");
    }

    @Test
    void aCardThatIsClosedSaysWhy() {
        assertSays(verdict(memory(4), CARD.withCordoned(true)), "cordoned", "cordoned");
        assertSays(
                verdict(memory(4), CARD.withHeld(true)),
                "held while pods are moved away from it",
                "held while pods are moved away from them");
        assertSays(
                verdict(memory(4), CARD.withHealth(new Health.Unhealthy("Xid 79"))),
                "unhealthy: Xid 79",
                "unhealthy: Xid 79");
        assertSays(
                verdict(memory(4), CARD.withInUse("claim lab/c")),
                "in use by claim lab/c",
                "in use by pods or claims that have them by another offer of their nodes, or that have ended and still"
                        + " compute there");
        assertSays(
                verdict(memory(4), CARD.withIsolation(CardIsolation.closed("no supervisor"))),
                "offers no memory: no supervisor",
                "offer no memory: no supervisor");
    }

    @Test
    void aCardOfTheWrongKindSaysWhatIsNeeded() {
        assertSays(
                verdict(memory(16), CARD),
                "too small: it has 15 GiB, 16 GiB needed",
                "too small: one card has 15 GiB, 16 GiB needed");
        assertSays(
                verdict(request(Share.memory(2).plus(Share.cores(30))), CARD),
                "does not limit cores: its device plugin has no --core-resource",
                "do not limit cores, which needs --core-resource and --isolation=mps or hami-core");
        assertSays(
                verdict(request(Share.memory(2).plus(Share.slots(1))), CARD),
                "has no slots: its device plugin needs --hami",
                "without slots: their device plugin needs --hami");
        assertSays(
                verdict(whole(1), instance("MIG-0", 0, "1g.10gb", 10)),
                "a MIG instance, and a whole card is needed",
                "MIG instances, and whole cards are needed");
    }

    private static void assertSays(CardVerdict verdict, String card, String nodes) {
        assertThat(verdict.takes()).isFalse();
        assertThat(verdict.sentence()).isEqualTo(card);
        assertThat(verdict.ofNodes()).isEqualTo(nodes);
    }

    private static Demand request(Share share) {
        return new Demand(List.of(new ContainerDemand("main", ContainerRole.APP, share)));
    }

    private static Allocation placed(Demand demand) {
        return ((Placement.Placed) NodeCards.of(node(15)).place(demand)).allocation();
    }

    private static CardVerdict verdict(Demand demand, Card card) {
        return verdict(demand, NodeCards.of(new Inventory(MemoryUnit.GIB, null, List.of(card))));
    }

    private static CardVerdict verdict(Demand demand, NodeCards node) {
        return CardVerdict.of(demand, node.cards().getFirst(), node.inventory());
    }
}
