package io.gpushare.plugin.node.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.plugin.node.holdings.TestNode;
import io.gpushare.plugin.node.pod.TestPods;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class XidReporterTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");
    private static final Inventory CARDS = new Inventory(
            MemoryUnit.GIB,
            null,
            List.of(Card.of("GPU-a", 0, Memory.ofGib(15)), Card.of("GPU-b", 1, Memory.ofGib(15))));

    private static List<String> reported(Inventory cards) {
        return reported(TestNode.of(cards)
                .withHolder(TestPods.started(TestPods.onCard("p", 0, A, 2)))
                .withHolder(TestPods.started(TestPods.onCard("q", 1, A, 2)))
                .withHolder(TestPods.started(TestPods.onCard("elsewhere", 2, B, 2))));
    }

    private static List<String> reported(TestNode node) {
        List<String> events = new ArrayList<>();
        XidReporter reporter =
                new XidReporter(node.latest(), (about, event) -> events.add(about + ": " + event.message()));
        reporter.report(A, 31, "restart the program; the card is healthy");
        return events;
    }

    @Test
    void thePodsOfTheCardLearnTheRemedy() {
        String message = "Card GPU-a of this pod reported Xid 31: restart the program; the card is healthy.";
        assertThat(reported(CARDS)).containsExactlyInAnyOrder("pod default/p: " + message, "pod default/q: " + message);
    }

    @Test
    void withMpsTheyLearnThatTheErrorOfAnotherProgramEndsTheirs() {
        Inventory mps = CARDS.withIsolation(Map.of(A, CardIsolation.of(Isolation.MPS)));
        assertThat(reported(mps))
                .hasSize(2)
                .allMatch(
                        event -> event.endsWith("The card has MPS: if the error was fatal to one program, all programs"
                                + " on the card have ended."));
    }

    @Test
    void aCardThatIsTakenWholeHasNoMps() {
        Inventory mps = CARDS.withIsolation(Map.of(A, CardIsolation.of(Isolation.MPS)));
        TestNode node = TestNode.of(mps).withHolder(TestPods.started(TestPods.whole("w", 0, A)));
        assertThat(reported(node))
                .containsExactly(
                        "pod default/w: Card GPU-a of this pod reported Xid 31: restart the program; the card is"
                                + " healthy.");
    }
}
