package io.gpushare.model.ledger;

import static io.gpushare.model.ledger.TestCards.memory;
import static io.gpushare.model.ledger.TestCards.pod;
import static io.gpushare.model.ledger.TestCards.whole;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardLink;
import io.gpushare.model.card.CardLinks;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Share;
import io.gpushare.model.selector.CardSelector;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The choice of cards whose links are known. */
class BestLinkedTest {
    /** NVLinks join 0-1-2-3 and 4-5-6-7, with more of them for 0-1 and 4-5; all other links cross NUMA nodes. */
    private static final NodeCards TWO_ISLANDS =
            NodeCards.of(TestCards.node(40, 40, 40, 40, 40, 40, 40, 40).withLinks(links(8, (i, j) -> {
                if (i / 4 != j / 4) {
                    return "SYS";
                }
                return i % 4 == 1 && j % 4 == 0 ? "NV4" : "NV2";
            })));

    private interface LinkText {
        String cards(int larger, int smaller);
    }

    @Test
    void wholeCardsAreTheBestLinkedOnes() {
        assertThat(taken(TWO_ISLANDS, whole(2))).containsExactlyInAnyOrder(0, 1);
        NodeCards without0 = with(TWO_ISLANDS, whole(1), 0);
        assertThat(taken(without0, whole(2))).containsExactlyInAnyOrder(4, 5);
        assertThat(taken(without0, whole(4))).containsExactlyInAnyOrder(4, 5, 6, 7);
    }

    @Test
    void oneCardIsTakenFromTheWorstLinkedOnes() {
        assertThat(taken(TWO_ISLANDS, whole(1))).containsExactly(2);
        assertThat(taken(with(TWO_ISLANDS, whole(1), 0), whole(1))).containsExactly(1);
        assertThat(taken(TWO_ISLANDS, memory(3))).as("memory on an unused card").containsExactly(2);
        assertThat(taken(with(TWO_ISLANDS, memory(3), 5), memory(3)))
                .as("memory prefers a card in use")
                .containsExactly(5);
    }

    @Test
    void memoryOfSeveralCardsIsOnTheBestLinkedOnes() {
        NodeCards node = with(with(TWO_ISLANDS, memory(3), 3), memory(3), 7);
        assertThat(taken(node, split(8, 2))).containsExactlyInAnyOrder(0, 1);
        assertThat(taken(with(node, memory(39), 1), split(8, 2))).containsExactlyInAnyOrder(4, 5);
        assertThat(taken(NodeCards.of(TestCards.node(40, 40, 40)), split(8, 2)))
                .as("unknown links")
                .containsExactlyInAnyOrder(0, 1);
    }

    @Property(tries = 300)
    void noOtherSetIsBetterLinked(@ForAll long seed, @ForAll @IntRange(min = 1, max = 8) int count) {
        Random random = new Random(seed);
        String[] words = {"NV1", "NV2", "PIX", "PHB", "SYS"};
        NodeCards node = NodeCards.of(TestCards.node(40, 40, 40, 40, 40, 40, 40, 40)
                .withLinks(links(8, (i, j) -> words[random.nextInt(words.length)])));
        for (int pod = 0; pod < random.nextInt(5); pod++) {
            node = with(node, memory(1 + random.nextInt(20)), random.nextInt(8));
        }
        List<CardState> states = node.cards();
        Set<Integer> free = IntStream.range(0, 8)
                .filter(card -> states.get(card).offers(Share.WHOLE_CARD))
                .boxed()
                .collect(Collectors.toSet());
        if (!(node.place(whole(count)) instanceof Placement.Placed)) {
            assertThat(free).hasSizeLessThan(count);
            return;
        }
        Set<Integer> taken = taken(node, whole(count));
        for (int set = 0; set < 256; set++) {
            int bits = set;
            Set<Integer> other = IntStream.range(0, 8)
                    .filter(i -> (bits >> i & 1) == 1)
                    .boxed()
                    .collect(Collectors.toSet());
            if (other.size() == count && free.containsAll(other)) {
                assertThat(inside(node, other)).isLessThanOrEqualTo(inside(node, taken));
                if (inside(node, other) == inside(node, taken)) {
                    assertThat(inside(node, without(free, other)))
                            .isLessThanOrEqualTo(inside(node, without(free, taken)));
                }
            }
        }
    }

    @Tag("alone")
    @Test
    void sixteenCardsAreChosenQuickly() {
        int[] sizes = new int[16];
        Arrays.fill(sizes, 40);
        NodeCards node =
                NodeCards.of(TestCards.node(sizes).withLinks(links(16, (i, j) -> i / 8 == j / 8 ? "NV6" : "SYS")));
        long before = System.nanoTime();
        assertThat(taken(node, whole(8))).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(System.nanoTime() - before).isLessThan(2_000_000_000L);
    }

    private static Set<Integer> without(Set<Integer> all, Set<Integer> some) {
        return all.stream().filter(each -> !some.contains(each)).collect(Collectors.toSet());
    }

    private static long inside(NodeCards node, Set<Integer> cards) {
        long sum = 0;
        for (int i : cards) {
            for (int j : cards) {
                sum += i > j ? node.inventory().links().closeness(id(i), id(j)) : 0;
            }
        }
        return sum;
    }

    private static CardLinks links(int cards, LinkText text) {
        Map<CardLinks.Pair, CardLink> links = new HashMap<>();
        for (int i = 0; i < cards; i++) {
            for (int j = 0; j < i; j++) {
                links.put(new CardLinks.Pair(id(i), id(j)), CardLink.parse(text.cards(i, j)));
            }
        }
        return new CardLinks(links);
    }

    private static Demand split(int units, int split) {
        return new Demand(
                List.of(new ContainerDemand("main", ContainerRole.APP, Share.memory(units))), split, CardSelector.ANY);
    }

    /** The node with a pod that has this demand on that card. */
    private static NodeCards with(NodeCards node, Demand demand, int card) {
        Inventory only = new Inventory(
                node.inventory().unit(),
                null,
                List.of(node.inventory().card(id(card)).orElseThrow()));
        Placement placed = NodeCards.of(only).place(demand);
        return node.with(pod("pod-" + node.holdings().size()), ((Placement.Placed) placed).allocation());
    }

    private static Set<Integer> taken(NodeCards node, Demand demand) {
        Allocation allocation = ((Placement.Placed) node.place(demand)).allocation();
        return IntStream.range(0, node.cards().size())
                .filter(i -> allocation.cards().contains(id(i)))
                .boxed()
                .collect(Collectors.toSet());
    }

    private static CardId id(int card) {
        return new CardId("GPU-" + card);
    }
}
