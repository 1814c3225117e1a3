package io.gpushare.insight.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.PodBuilder;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.scheduling.TestCluster;
import io.gpushare.insight.report.Explanation.Judged;
import io.gpushare.insight.report.Explanation.NodeVerdict;
import io.gpushare.insight.scaleup.ScaleUp;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.NoCards;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.ledger.CardVerdict;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.node.NodeRules;
import io.gpushare.model.request.ContainerResources;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Why no node takes a pod, grouped for users, and what they may do about it. */
class RefusedNodesTest {
    private static final String MEMORY = "aliyun.com/gpu-mem";
    private static final String CARDS = "aliyun.com/gpu-count";

    private final Placer placer = TestCluster.placer();
    private final Ledger ledger = placer.ledger();
    private final Explainer explainer = new Explainer(
            ledger::state,
            placer,
            new PlacementOutcomes(() -> 0),
            new TestCluster(new Random(1), ledger),
            () -> TestCluster.NOW);
    private int pods;

    private void nodes(int count, String model, int cards, int gib) {
        nodes(count, model, cards, gib, Map.of());
    }

    private void nodes(int count, String model, int cards, int gib, Map<String, String> annotations) {
        for (int i = 0; i < count; i++) {
            String name = model.toLowerCase(Locale.ROOT).substring(0, 2) + "-" + i;
            List<Card> all = IntStream.range(0, cards)
                    .mapToObj(index -> new Card(
                            new CardId("GPU-" + name + "-" + index),
                            index,
                            index,
                            model,
                            Memory.ofGib(gib),
                            Card.Details.UNKNOWN))
                    .toList();
            Map<String, String> written = new HashMap<>(annotations);
            written.put("gpushare.io/inventory", InventoryCodec.encode(new Inventory(MemoryUnit.GIB, null, all)));
            ledger.updateNode(name, written, HostResources.NONE);
        }
    }

    private SchedulingPod pod(Map<String, String> annotations, Map<String, String> limits) {
        pods++;
        return new SchedulingPod(
                new PodRef("uid-" + pods, "lab", "pod-" + pods),
                0,
                annotations,
                List.of(new ContainerResources("main", ContainerRole.APP, limits)));
    }

    private void runs(String node, Map<String, String> limits) {
        SchedulingPod pod = pod(Map.of(), limits);
        placer.assume(pod.ref(), TestCluster.demand(ledger, pod), node, TestCluster.NOW);
    }

    private void ends(String name, String node, int units, Instant deadline) {
        ledger.updatePod(PodBuilder.pod(new PodRef("uid-" + name, "lab", name))
                .on(node)
                .deadline(deadline)
                .annotations(AllocationCodec.annotations(
                        TestCluster.memory("GPU-" + node + "-0", units),
                        ledger.nodeEntry(node).cards().inventory(),
                        node,
                        List.of(),
                        TestCluster.NOW))
                .requesting(MEMORY, units)
                .build());
    }

    private Judged judged(Map<String, String> annotations, Map<String, String> limits) {
        return (Judged) explainer.of(pod(annotations, limits), NodeRules.ANY);
    }

    private static List<String> rows(Judged judged) {
        return judged.refused().stream()
                .map(group -> group.nodes() + " " + group.model() + ": " + group.detail())
                .toList();
    }

    @Test
    void rowsAreCountedByReasonAndKindOfCardAndTheNearestMissIsFirst() {
        nodes(3, "A100", 2, 80);
        nodes(200, "T4", 4, 15);
        for (int i = 0; i < 3; i++) {
            runs("a1-" + i, Map.of(MEMORY, String.valueOf(50 + i)));
            runs("a1-" + i, Map.of(MEMORY, "60"));
        }
        Judged judged = judged(Map.of(), Map.of(MEMORY, "40"));
        assertThat(rows(judged))
                .containsExactly(
                        "3 A100: at most 30 GiB of 80 GiB free on one card, 40 GiB needed",
                        "200 T4: too small: one card has 15 GiB, 40 GiB needed");
        assertThat(judged.advice())
                .containsExactly("It fits on node a1-0, card 0, when pod lab/pod-1 ends, which holds 50 GiB.");
    }

    @Test
    void aPodThatItsDeadlineEndsIsNamedBesideASmallerOne() {
        nodes(2, "A100", 1, 80);
        runs("a1-0", Map.of(MEMORY, "50"));
        ends("job", "a1-1", 60, Instant.parse("2026-11-26T14:05:00Z"));
        assertThat(judged(Map.of(), Map.of(MEMORY, "40")).advice())
                .containsExactly(
                        "It fits on node a1-0, card 0, when pod lab/pod-1 ends, which holds 50 GiB.",
                        "It fits on node a1-1, card 0, when pod lab/job ends, which holds 60 GiB; its"
                                + " activeDeadlineSeconds end it by 2026-11-26T14:05:00Z.");
    }

    @Test
    void thePodThatIsSmallestAndEndsFirstIsNamedOnce() {
        nodes(2, "A100", 1, 80);
        ends("job", "a1-0", 50, Instant.parse("2026-11-26T14:00:00Z"));
        ends("later", "a1-1", 60, Instant.parse("2026-11-26T14:05:00Z"));
        assertThat(judged(Map.of(), Map.of(MEMORY, "40")).advice())
                .containsExactly("It fits on node a1-0, card 0, when pod lab/job ends, which holds 50 GiB; its"
                        + " activeDeadlineSeconds end it by 2026-11-26T14:00:00Z.");
    }

    @Test
    void aCardOfUnknownMemoryNamesTheMissingOptionAndCanBeTakenWhole() {
        Card card = new Card(new CardId("GPU-gb"), 0, 0, "NVIDIA GB10", new Memory(0), Card.Details.UNKNOWN);
        node(new Inventory(
                MemoryUnit.GIB,
                null,
                List.of(card.withIsolation(CardIsolation.closed("option --card-memory is missing")))));

        assertThat(rows(judged(Map.of(), Map.of(MEMORY, "2"))))
                .singleElement()
                .satisfies(row -> assertThat(row).contains("option --card-memory is missing"));
        assertThat(judged(Map.of(), Map.of(CARDS, "1")).refused()).isEmpty();
    }

    @Test
    void aNodeWhosePluginRestartsTakesNoPodUntilTheNextOnePublishes() {
        Inventory open = new Inventory(MemoryUnit.GIB, null, List.of(Card.of("GPU-a", 0, Memory.ofGib(15))));
        node(open.withNoCards(new NoCards(NoCards.Cause.PLUGIN_RESTARTING)));
        assertThat(String.valueOf(ledger.nodeEntry("n1").unavailable())).contains("its device plugin is restarting");

        node(open);
        assertThat(ledger.nodeEntry("n1").unavailable()).isNull();
    }

    private void node(Inventory inventory) {
        ledger.updateNode("n1", Map.of("gpushare.io/inventory", InventoryCodec.encode(inventory)), HostResources.NONE);
    }

    @Test
    void aPodThatIsLargerThanEveryCardMayBeSplitOrSmaller() {
        nodes(200, "A100", 8, 80);
        Judged judged = judged(Map.of(), Map.of(MEMORY, "90"));
        assertThat(rows(judged)).containsExactly("200 A100: too small: one card has 80 GiB, 90 GiB needed");
        assertThat(judged.advice())
                .containsExactly(
                        "If the program can use several cards, split its memory over them: annotation"
                                + " gpushare.io/cards: \"2\".",
                        "The largest such card has 80 GiB: request at most that on one card.");
        assertThat(judged(Map.of(), Map.of(MEMORY, "97")).advice())
                .as("97 units can't be split evenly")
                .containsExactly("The largest such card has 80 GiB: request at most that on one card.");
    }

    @Test
    void anUnknownModelIsAnsweredWithThosePresent() {
        nodes(2, "A100", 2, 80);
        nodes(1, "T4", 2, 15);
        Judged judged = judged(Map.of("gpushare.io/select", "model = H200"), Map.of(MEMORY, "4"));
        assertThat(rows(judged))
                .containsExactly("2 A100: not selected by model = H200", "1 T4: not selected by model = H200");
        assertThat(judged.advice())
                .containsExactly("No card in this cluster meets model = H200; present are A100, T4.");
    }

    @Test
    void aSelectionByAFactThatNoCardReportsSaysSo() {
        nodes(2, "A100", 2, 80);
        assertThat(judged(Map.of("gpushare.io/select", "numa = 0"), Map.of(MEMORY, "4"))
                        .advice())
                .containsExactly("No card in this cluster reports the fact numa: remove the condition numa = 0.");
    }

    @Test
    void conditionsThatAreMetByDifferentCardsOnlyAreNamedTogether() {
        nodes(1, "A100", 2, 80);
        nodes(1, "T4", 2, 15);
        assertThat(judged(Map.of("gpushare.io/select", "model = T4, memory >= 70Gi"), Map.of(MEMORY, "4"))
                        .advice())
                .containsExactly("No card in this cluster meets all conditions together: model = T4, memory >= 70Gi.");
    }

    @Test
    void cardsThatAreHeldWhilePodsAreMovedAreNotCalledCordoned() {
        nodes(1, "T4", 1, 15, Map.of("gpushare.io/hold", "run=r;renewed=1;cards=GPU-t4-0-0"));
        Judged judged = judged(Map.of(), Map.of(MEMORY, "4"));
        assertThat(rows(judged)).containsExactly("1 T4: held while pods are moved away from them");
        assertThat(judged.advice())
                .containsExactly("A card of node t4-0 could take it but is held while pods are moved: wait until that"
                        + " ends, or remove the node's annotation gpushare.io/hold.");
    }

    @Test
    void cardsThatAreTaintedAreNotCalledCordoned() {
        Inventory one = new Inventory(MemoryUnit.GIB, null, List.of(Card.of("GPU-a", 0, Memory.ofGib(15))))
                .withNoCards(new NoCards(NoCards.Cause.SERVES_CLAIMS));
        ledger.updateNode("c", InventoryCodec.annotations(one), HostResources.NONE);
        ledger.updateTaints((_, _) -> Map.of(new CardId("GPU-a"), "k=v:NoSchedule by DeviceTaintRule r"));
        NodeCards cards = ledger.nodeEntry("c").cards();
        Demand demand = TestCluster.demand(ledger, pod(Map.of(), Map.of(MEMORY, "4")))
                .demand()
                .claimed();
        CardVerdict verdict = CardVerdict.of(demand, cards.cards().getFirst(), cards.inventory());
        assertThat(verdict.sentence()).isEqualTo("has the taint k=v:NoSchedule by DeviceTaintRule r");
        assertThat(verdict.ofNodes()).isEqualTo("tainted by DeviceTaintRules");
        assertThat(new CardAdvice(demand, "here")
                        .sentences(List.of(NodeVerdict.of("c", null, false, demand, ledger.nodeEntry("c"))), List::of))
                .containsExactly("A card of node c could take it but is tainted by a DeviceTaintRule, which kubectl"
                        + " gpushare nodes names: delete the rule, or let the claim tolerate the taint.");
    }

    @Test
    void hostileModelsAreCutAndPrintable() {
        nodes(1, "T4\u001b[31m" + "x".repeat(500), 1, 15);
        assertThat(judged(Map.of("gpushare.io/select", "model = H200"), Map.of(MEMORY, "4"))
                        .advice()
                        .getFirst())
                .doesNotContain("\u001b")
                .hasSizeLessThan(200);
    }

    @Test
    void wholeCardsThatAreSharedOrTooFewAreNamed() {
        nodes(2, "T4", 2, 15);
        runs("t4-0", Map.of(MEMORY, "3"));
        runs("t4-0", Map.of(CARDS, "1"));
        runs("t4-1", Map.of(CARDS, "1"));
        assertThat(rows(judged(Map.of(), Map.of(CARDS, "2"))))
                .containsExactly(
                        "1 T4: at most 1 card fits on one node, 2 needed",
                        "1 T4: shared by memory pods, so they can't be taken whole");
        assertThat(judged(Map.of(), Map.of(CARDS, "3")).advice())
                .containsExactly("A node has at most 2 such cards: request fewer.");
    }

    @Test
    void theReasonAndTheRowAreOfTheSameCard() {
        node(mps(16, 16).withBeside(Share.ALL_CORES));
        runs("n1", Map.of(MEMORY, "2", TestCluster.CORES, "90"));
        runs("n1", Map.of(MEMORY, "14", TestCluster.CORES, "20"));

        Judged judged = judged(Map.of(), Map.of(MEMORY, "8", TestCluster.CORES, "30"));
        assertThat(judged.reasons().keySet())
                .extracting(Reason::sentence)
                .containsExactly("Insufficient GPU cores in one device");
        assertThat(rows(judged)).containsExactly("1 simulated: at most 10% of the cores free on one card, 30% needed");
    }

    @Test
    void aNewNodeThatLimitsCoresHelpsAlsoIfAnotherWithSuchCardsDoesNot() {
        ledger.updateNode(
                "a1",
                Map.of("gpushare.io/inventory", InventoryCodec.encode(TestCluster.cards(16))),
                HostResources.NONE);
        node(mps(16).withBeside(Share.ALL_CORES));
        runs("n1", Map.of(MEMORY, "2", TestCluster.CORES, "90"));
        assertThat(judged(Map.of(), Map.of(MEMORY, "8", TestCluster.CORES, "30"))
                        .scaleUp())
                .isInstanceOfSatisfying(
                        ScaleUp.MoreLike.class, more -> assertThat(more.like()).isEqualTo("n1"));
    }

    @Test
    void theLargestCardIsOneThatLimitsCores() {
        node(mps(16).withBeside(Share.ALL_CORES));
        nodes(1, "T4", 1, 16);
        assertThat(judged(Map.of(), Map.of(MEMORY, "24", TestCluster.CORES, "30"))
                        .advice())
                .containsExactly("The largest such card has 16 GiB: request at most that on one card.");
    }

    @Test
    void aPodThatAlsoTakesACardWholeIsNotToldThatEnoughCardsFit() {
        node(TestCluster.cards(16, 16));
        runs("n1", Map.of(MEMORY, "10"));
        runs("n1", Map.of(MEMORY, "10"));
        SchedulingPod pod = new SchedulingPod(
                new PodRef("uid-both", "lab", "both"),
                0,
                Map.of(),
                List.of(
                        new ContainerResources("share", ContainerRole.APP, Map.of(MEMORY, "2")),
                        new ContainerResources("whole", ContainerRole.APP, Map.of(CARDS, "1"))));
        assertThat(rows((Judged) explainer.of(pod, NodeRules.ANY)))
                .containsExactly("1 simulated: shared by memory pods, so they can't be taken whole");
    }

    @Test
    void aHamiPodOnANodeWithoutSlotsNeedsSlotsAndNoCoreLimits() {
        node(TestCluster.cards(16));
        Judged judged = judged(
                Map.of(), Map.of("nvidia.com/gpu", "1", "nvidia.com/gpumem", "1024", "nvidia.com/gpucores", "30"));
        assertThat(judged.reasons().keySet()).extracting(Reason::label).containsExactly("no_slots");
        assertThat(rows(judged)).containsExactly("1 simulated: without slots: their device plugin needs --hami");
    }

    @Test
    void aHamiPodForWhichOnlyASlotIsLackingIsToldSo() {
        node(TestCluster.cards(16).withBeside(Share.ALL_CORES.plus(Share.slots(1))));
        Map<String, String> limits =
                Map.of("nvidia.com/gpu", "1", "nvidia.com/gpumem", "1024", "nvidia.com/gpucores", "30");
        runs("n1", limits);
        Judged judged = judged(Map.of(), limits);
        assertThat(judged.reasons().keySet()).extracting(Reason::label).containsExactly("no_card_with_slots");
        assertThat(rows(judged)).containsExactly("1 simulated: without a free slot");
    }

    private static Inventory mps(int... gib) {
        Inventory cards = TestCluster.cards(gib);
        return new Inventory(
                MemoryUnit.GIB,
                null,
                cards.cards().stream()
                        .map(card -> card.withIsolation(CardIsolation.of(Isolation.MPS)))
                        .toList());
    }
}
