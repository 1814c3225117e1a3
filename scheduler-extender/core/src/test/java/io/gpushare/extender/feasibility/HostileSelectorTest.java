package io.gpushare.extender.feasibility;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.ComputeCapability;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Refusal;
import io.gpushare.model.request.SelectorCodec;
import io.gpushare.model.selector.CardSelector;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Selectors of tenants who want to stop scheduling: the most that an annotation may have, over 5,000 nodes of 16 cards.
 */
class HostileSelectorTest {
    private static final int NODES = 5_000;
    private static final int CARDS = 16;
    // Ten times what it takes, because the machine may be busy. It took 0.5 to 2 s when each card was compared with
    // each value.
    private static final Duration LIMIT = Duration.ofMillis(200);
    private static final int ATTEMPTS = 8;

    /** The worst selectors. None of them accepts a card, so that each is evaluated to its end. */
    enum Selector {
        MODELS("gpushare.io/select", "model in (" + list(128, "NVIDIA H100 80GB PCIe %03d") + ")"),
        PARTS("nvidia.com/nouse-gputype", list(127, "H100-PCIE-80GB %03d") + ",A100"),
        CONDITIONS(
                "gpushare.io/select",
                IntStream.range(0, 32)
                        .mapToObj(i -> "model not in (" + list(7, "x" + i + " %03d") + ")")
                        .collect(Collectors.joining(", "))),
        UUIDS("nvidia.com/use-gpuuuid", list(99, "GPU-ffffffff-0000-4000-8000-000000000%03d")),
        OTHER_UUIDS("nvidia.com/nouse-gpuuuid", list(99, "GPU-ffffffff-0000-4000-8000-000000000%03d"));

        private final String key;
        private final String value;

        Selector(String key, String value) {
            this.key = key;
            this.value = value;
        }

        private static String list(int count, String form) {
            return IntStream.range(0, count).mapToObj(form::formatted).collect(Collectors.joining(","));
        }

        CardSelector decoded() {
            return SelectorCodec.decode(Map.of(key, value)).valid().orElseThrow();
        }
    }

    private final List<NodeCards> nodes =
            IntStream.range(0, NODES).mapToObj(HostileSelectorTest::node).toList();

    @Tag("alone")
    @ParameterizedTest
    @EnumSource
    void noSelectorStopsScheduling(Selector selector) {
        Duration best = Duration.ofDays(1);
        for (int attempt = 0; attempt < ATTEMPTS && best.compareTo(LIMIT) > 0; attempt++) {
            // A new one each time: filter decodes the pod of each request.
            Demand demand = demand(90, selector.decoded());
            long begin = System.nanoTime();
            for (NodeCards node : nodes) {
                assertThat(node.refusal(demand)).isIn(Refusal.NO_CARD_OF_KIND, Refusal.NO_CARDS_WITH_MEMORY);
            }
            Duration took = Duration.ofNanos(System.nanoTime() - begin);
            best = took.compareTo(best) < 0 ? took : best;
        }
        assertThat(best).isLessThan(LIMIT);
    }

    @Test
    void aListOfTheCardsOfANodeIsAccepted() {
        Map<String, String> annotations = Map.of(
                "gpushare.io/select",
                "uuid in ("
                        + IntStream.range(0, CARDS).mapToObj(i -> uuid(7, i)).collect(Collectors.joining(", ")) + ")");
        CardSelector selector = SelectorCodec.decode(annotations).valid().orElseThrow();
        assertThat(nodes.stream().filter(node -> node.refusal(demand(1, selector)) == null))
                .containsExactly(nodes.get(7));
    }

    /** That many units on as many cards as a node has. */
    private static Demand demand(int units, CardSelector selector) {
        return new Demand(
                List.of(new ContainerDemand("main", ContainerRole.APP, Share.memory(units * CARDS))), CARDS, selector);
    }

    private static NodeCards node(int number) {
        List<Card> cards = IntStream.range(0, CARDS)
                .mapToObj(i -> new Card(
                        new CardId(uuid(number, i)),
                        i,
                        i,
                        "NVIDIA A100-SXM4-80GB",
                        Memory.ofGib(80),
                        new Card.Details(new ComputeCapability(8, 0), true, i / 8, false)))
                .toList();
        return NodeCards.of(new Inventory(MemoryUnit.GIB, new Inventory.Driver("550.54.15", "12.4"), cards));
    }

    private static String uuid(int node, int card) {
        return String.format(Locale.ROOT, "GPU-%08x-0000-4000-8000-%012x", node, card);
    }
}
