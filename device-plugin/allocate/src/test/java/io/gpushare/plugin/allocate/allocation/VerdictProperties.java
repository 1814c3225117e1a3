package io.gpushare.plugin.allocate.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Obstacle;
import io.gpushare.model.ledger.Placement;
import io.gpushare.model.ledger.Refusal;
import io.gpushare.model.ledger.Verdict;
import io.gpushare.plugin.allocate.snapshot.AnsweredCall;
import io.gpushare.plugin.allocate.snapshot.NodeSnapshot;
import io.gpushare.plugin.node.container.Outcome;
import io.gpushare.plugin.node.container.RefusalKind;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.TestPods;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.statistics.Statistics;

/** What Allocate says of a pod is what filter says of the same cards: it is granted if it fits, and refused if not. */
class VerdictProperties {
    /** What each run reaches many times; FEW_PERCENT is rare. */
    private static final List<Verdict> REACHED = List.of(
            Verdict.Fits.SHARED,
            Verdict.Fits.WHOLE,
            Obstacle.NO_SLOT,
            Obstacle.SHORT,
            Obstacle.SHARED,
            Obstacle.TAKEN_WHOLE,
            Obstacle.CORDONED,
            Obstacle.UNHEALTHY,
            Obstacle.NO_MEMORY,
            Obstacle.TOO_SMALL,
            Obstacle.NOT_LIMITED,
            Obstacle.WITHOUT_SLOTS);

    @Property(tries = 300)
    void allocateAndFilterNeverContradict(@ForAll long seed) {
        Random random = new Random(seed);
        NodeSnapshot node = NodeSnapshot.of(inventory(random));
        for (int i = 0; i < 20; i++) {
            ContainerDemand container = container(random);
            Demand demand = new Demand(List.of(container));
            NodePod pod = TestPods.unannotated("p" + i, i, container);
            NodeCards cards = node.allocations().assigned();
            Refusal refusal = cards.refusal(demand);
            Outcome<ContainerAllocation> alone = new CardSelection(node, pod, container).among(List.of());
            if (refusal != null) {
                assertRefused(alone, RefusalKind.NO_FREE_CAPACITY, refusal.sentence());
            } else {
                assertThat(alone).isInstanceOf(Outcome.Of.class);
            }
            if (container.request().wholeCards() < 2) {
                cards.cards().forEach(card -> annotatedCardAnswersAsInFilter(cards, card, container));
            }
            if (cards.place(demand) instanceof Placement.Placed(Allocation allocation)) {
                NodePod placed = TestPods.annotated(pod, allocation);
                assertThat(new CardSelection(node, placed, container).among(List.of()))
                        .isEqualTo(new Outcome.Of<>(allocation.containers().getFirst()));
                node = node.withPod(placed)
                        .withAnsweredCall(new AnsweredCall(
                                placed.ref(), allocation.containers().getFirst(), Set.of(), TestPods.START));
            }
        }
        Statistics.coverage(
                coverage -> REACHED.forEach(verdict -> coverage.check(verdict).count(count -> count > 0)));
    }

    private static void annotatedCardAnswersAsInFilter(NodeCards cards, CardState card, ContainerDemand container) {
        Share share = container.request().on(card.capacity());
        var own = new ContainerAllocation(
                "main", ContainerRole.APP, Map.of(card.card().id(), share));
        NodePod pod = TestPods.annotated(TestPods.unannotated("q", 99, container), TestPods.allocation(own));
        NodeSnapshot node = NodeSnapshot.of(cards.inventory());
        int other = 0;
        for (NodeCards.Holding holding : cards.holdings()) {
            NodePod running =
                    TestPods.annotated(TestPods.unannotated("r" + other++, 0, container), holding.allocation());
            node = node.withPod(running)
                    .withAnsweredCall(new AnsweredCall(
                            running.ref(), holding.allocation().containers().getFirst(), Set.of(), TestPods.START));
        }
        Verdict verdict = Verdict.of(new Demand(List.of(container)), card);
        Statistics.collect(verdict);
        Outcome<ContainerAllocation> outcome = new CardSelection(node, pod, container).among(List.of());
        assertThat(outcome instanceof Outcome.Of)
                .as("%s, verdict %s for %s: %s", card, verdict, container, outcome)
                .isEqualTo(verdict.fits());
    }

    private static void assertRefused(Outcome<ContainerAllocation> outcome, RefusalKind kind, String sentence) {
        assertThat(outcome).isInstanceOfSatisfying(Outcome.Refused.class, refused -> {
            assertThat(refused.kind()).isEqualTo(kind);
            assertThat(refused.reason()).endsWith(sentence);
        });
    }

    private static Inventory inventory(Random random) {
        List<Card> cards = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(4); i++) {
            Memory memory = Memory.ofGib(random.nextBoolean() ? 8 : 24);
            cards.add(Card.of("GPU-" + i, i, memory)
                    .withIsolation(
                            switch (random.nextInt(5)) {
                                case 0 -> CardIsolation.closed("no supervisor");
                                case 1, 2 -> CardIsolation.of(Isolation.MPS);
                                default -> CardIsolation.NONE;
                            })
                    .withHealth(random.nextInt(6) == 0 ? new Health.Unhealthy("Xid 79") : new Health.Healthy())
                    .withCordoned(random.nextInt(8) == 0));
        }
        Share beside = Share.cores(random.nextBoolean() ? 100 : 0).plus(Share.slots(random.nextInt(3)));
        return new Inventory(MemoryUnit.GIB, null, cards).withBeside(beside);
    }

    private static ContainerDemand container(Random random) {
        int units = 1 + random.nextInt(random.nextInt(4) == 0 ? 30 : 8);
        return switch (random.nextInt(5)) {
            case 0 -> TestPods.cards("main", 1 + random.nextInt(2));
            case 1 -> TestPods.memory("main", units);
            case 2 -> TestPods.cores("main", units, 10 * (1 + random.nextInt(6)));
            case 3 ->
                new ContainerDemand("main", ContainerRole.APP, Share.slots(1).plus(Share.part(1 + random.nextInt(60))));
            default ->
                new ContainerDemand(
                        "main",
                        ContainerRole.APP,
                        Share.memory(units)
                                .plus(Share.cores(random.nextInt(50)))
                                .plus(Share.slots(1)));
        };
    }
}
