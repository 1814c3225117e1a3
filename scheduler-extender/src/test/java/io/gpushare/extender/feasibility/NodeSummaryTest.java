package io.gpushare.extender.feasibility;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.SelectorCodec;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Placement;
import io.gpushare.model.ledger.Refusal;
import io.gpushare.model.selector.CardSelector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NodeSummaryTest {
    private static final int[] SIZES = {0, 4, 8, 15, 15, 24};

    @Property
    void itsResultIsThatOfPlace(
            @ForAll long seed,
            @ForAll @IntRange(max = 26) int units,
            @ForAll @IntRange(max = 4) int whole,
            @ForAll @IntRange(min = 1, max = 3) int split,
            @ForAll @IntRange(max = 120) int percent,
            @ForAll("selectors") CardSelector selector) {
        if (units + whole == 0) {
            return;
        }
        NodeCards cards = randomNode(new Random(seed));
        int cores = split == 1 && units > 0 ? Math.max(0, percent - 20) : 0;
        Demand demand = new Demand(demand(units * split, cores, whole).containers(), split, selector);
        @Nullable
        Refusal why = switch (cards.place(demand)) {
            case Placement.Placed _ -> null;
            case Placement.Refused(Refusal refusal) -> refusal;
        };
        assertThat(NodeSummary.of(cards).refusal(DemandSummary.of(demand))).isEqualTo(why);
    }

    @Provide
    Arbitrary<CardSelector> selectors() {
        return Arbitraries.of(
                        "",
                        "",
                        "memory >= 15Gi",
                        "memory < 8Gi",
                        "uuid in (GPU-1, GPU-2, GPU-4)",
                        "uuid in (gpu-1, GPU-2, GPU-9), uuid not in (GPU-2, gpu-3)",
                        "uuid != GPU-0",
                        "memory >= 8Gi, uuid not in (GPU-0, GPU-1), numa = 0",
                        "model = T4",
                        "numa = 0")
                .map(SelectorCodec::parse);
    }

    @Test
    void unhealthyCardsAreNeitherFreeNorLargeEnough() {
        Inventory inventory =
                new Inventory(MemoryUnit.GIB, null, List.of(card(0, 15).withHealth(new Health.Unhealthy("Xid 79"))));
        NodeSummary node = NodeSummary.of(NodeCards.of(inventory));
        assertThat(node.refusal(new DemandSummary(1, 0))).isEqualTo(Refusal.NO_CARD_WITH_MEMORY);
        assertThat(node.refusal(new DemandSummary(0, 1))).isEqualTo(Refusal.NO_FREE_CARDS);
    }

    private static NodeCards randomNode(Random random) {
        List<Card> cards = new ArrayList<>();
        for (int i = 0; i < random.nextInt(6); i++) {
            int size = SIZES[random.nextInt(SIZES.length)];
            Card card = new Card(
                    new CardId("GPU-" + i),
                    i,
                    i,
                    size == 15 ? "Tesla T4" : "A" + size,
                    Memory.ofGib(size),
                    new Card.Details(null, null, random.nextInt(3) == 0 ? null : i % 2, null));
            CardIsolation isolation = switch (random.nextInt(6)) {
                case 0 -> CardIsolation.closed("no driver for it");
                case 1, 2 -> CardIsolation.of(Isolation.MPS);
                default -> CardIsolation.NONE;
            };
            cards.add((random.nextInt(6) == 0 ? card.withHealth(new Health.Unhealthy("Xid 79")) : card)
                    .withIsolation(isolation));
        }
        NodeCards node = NodeCards.of(new Inventory(MemoryUnit.GIB, null, cards).withCores(random.nextInt(4) > 0));
        for (int pod = 0; pod < random.nextInt(8); pod++) {
            int card = random.nextInt(7);
            node = node.with(
                    pod(pod),
                    random.nextInt(3) == 0
                            ? whole(card)
                            : memory(card, 1 + random.nextInt(10), random.nextInt(2) * random.nextInt(70)));
        }
        return node;
    }

    private static Demand demand(int units, int cores, int whole) {
        List<ContainerDemand> containers = new ArrayList<>();
        if (units > 0) {
            containers.add(new ContainerDemand("shared", ContainerRole.APP, new Share(units, 0, cores)));
        }
        if (whole > 0) {
            containers.add(new ContainerDemand("whole", ContainerRole.APP, Share.whole(whole)));
        }
        return new Demand(containers);
    }

    private static Card card(int index, int gib) {
        return Card.of("GPU-" + index, index, Memory.ofGib(gib));
    }

    private static PodRef pod(int number) {
        return new PodRef("uid-" + number, "default", "pod-" + number);
    }

    private static Allocation memory(int card, int units, int cores) {
        return new Allocation(
                MemoryUnit.GIB,
                List.of(new ContainerAllocation(
                        "main", ContainerRole.APP, Map.of(new CardId("GPU-" + card), new Share(units, 0, cores)))));
    }

    private static Allocation whole(int card) {
        return new Allocation(
                MemoryUnit.GIB,
                List.of(new ContainerAllocation(
                        "main", ContainerRole.APP, Map.of(new CardId("GPU-" + card), Share.WHOLE_CARD))));
    }
}
