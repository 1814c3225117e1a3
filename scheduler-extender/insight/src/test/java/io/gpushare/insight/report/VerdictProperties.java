package io.gpushare.insight.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.policy.scoring.CardChoice;
import io.gpushare.extender.scheduling.TestCluster;
import io.gpushare.insight.report.Explanation.Judged;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.MigInstance;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.ledger.CardVerdict;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Placement;
import io.gpushare.model.node.NodeRules;
import io.gpushare.model.request.ContainerResources;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.statistics.Statistics;

/** What filter, {@code why} and bind say of one node is never contradictory, whatever its cards and pods are. */
class VerdictProperties {
    private static final String NODE = "n1";
    private static final Pattern TOO_FEW =
            Pattern.compile("at most (\\d+) (?:cards? fits?|such cards?) on one node, (\\d+) needed");
    private static final Pattern SHORT = Pattern.compile(
            "at most (\\d+) (?:GiB of \\d+ GiB|% of the cores|GiB) free on one card, (\\d+)(?: GiB|%) needed");

    /** What the detail of a reason says, by the reason's label without what is added when it holds for empty cards. */
    private static final Map<String, Pattern> DETAIL = Map.of(
            "no_card_with_memory", says("(?!.*(cores free|free slot|without slots|do not limit|on one node)).+"),
            "no_cards_with_memory", says("(?!.*(do not limit|without slots)).+"),
            "no_card_with_cores", says("(?!.*(free slot|without slots|on one node)).+"),
            "no_card_with_slots", says("without a free slot"),
            "no_free_cards", says("(?!.*(free on one card|free slot|not selected)).+"),
            "no_free_instances", says("(?!.*(free on one card|free slot|not selected)).+"),
            "no_core_limits", says("do not limit cores.*"),
            "no_slots", says("without slots.*"),
            "no_card_of_kind", says("not selected by .+"),
            "too_few_cards", says("at most \\d+ such cards? on one node, \\d+ needed"));

    private static Pattern says(String pattern) {
        return Pattern.compile(pattern, Pattern.DOTALL);
    }

    private final Placer placer = TestCluster.placer();
    private final Ledger ledger = placer.ledger();
    private int pods;

    @Property(tries = 300)
    void filterWhyAndBindNeverContradict(@ForAll long seed) {
        Random random = new Random(seed);
        ledger.updateNode(
                NODE,
                Map.of("gpushare.io/inventory", InventoryCodec.encode(inventory(random))),
                new HostResources(64_000, 1 << 18));
        Explainer explainer = new Explainer(
                ledger::state,
                placer,
                new PlacementOutcomes(() -> 0),
                new TestCluster(random, ledger),
                () -> TestCluster.NOW);
        for (int i = 0; i < 25; i++) {
            SchedulingPod pod = pod(random);
            if (!(ledger.demand(pod) instanceof PodDemand.Valid demand)) {
                continue;
            }
            Judged judged = (Judged) explainer.of(pod, NodeRules.ANY);
            NodeCards before = ledger.nodeEntry(NODE).cards();
            Placement placement = Placer.place(ledger.nodeEntry(NODE), demand, placer.scoring(demand.policy()));
            assertThat(judged.feasible() > 0).isEqualTo(placement instanceof Placement.Placed);
            if (demand.demand().plain()) {
                // What the policies choose from.
                assertThat(CardChoice.of(ledger.nodeEntry(NODE), demand.request()))
                        .matches(candidates -> candidates.isEmpty() == (judged.feasible() == 0));
            }
            if (placement instanceof Placement.Placed(var allocation)) {
                // What the device plugin asks of the same cards when the pod is admitted.
                assertThat(before.fits(allocation))
                        .as("%s on %s", allocation, before)
                        .isTrue();
                if (random.nextInt(3) > 0) {
                    placer.assume(pod.ref(), demand, NODE, TestCluster.NOW);
                }
            } else {
                assertThat(judged.refused()).singleElement().satisfies(group -> assertAgrees(group, judged, before));
            }
        }
        // One in a thousand is no_card_with_slots: too few to require it of each run.
        Statistics.coverage(coverage -> DETAIL.keySet().stream()
                .filter(label -> !label.equals("no_card_with_slots"))
                .forEach(label -> coverage.check(label).count(count -> count > 0)));
    }

    private static void assertAgrees(RefusedNodes group, Judged judged, NodeCards cards) {
        Reason reason = group.reason();
        String label = reason.label().replace("_even_empty", "");
        Statistics.collect(label);
        boolean few = TOO_FEW.matcher(group.detail()).matches();
        if (!(few && reason.label().endsWith("_even_empty"))) {
            assertThat(group.detail())
                    .as("%s of %s on %s", reason, judged.demand(), cards)
                    .matches(DETAIL.get(label));
        }
        for (Pattern amounts : List.of(TOO_FEW, SHORT)) {
            Matcher figures = amounts.matcher(group.detail());
            if (figures.matches()) {
                assertThat(Integer.parseInt(figures.group(1)))
                        .as("%s of %s on %s", group.detail(), judged.demand(), cards)
                        .isLessThan(Integer.parseInt(figures.group(2)));
            }
        }
        boolean onePart = judged.demand().parts().size() == 1;
        boolean oneKind = !judged.demand().shares() || judged.demand().wholeCards() == 0;
        if (!few && onePart && oneKind) {
            assertThat(judged.nodes().getFirst().eachCard())
                    .as("no card fits: %s", group.detail())
                    .noneMatch(CardVerdict::takes);
        }
    }

    private static Inventory inventory(Random random) {
        List<Card> cards = new ArrayList<>();
        boolean mig = random.nextInt(3) == 0;
        for (int i = 0; i < 1 + random.nextInt(4); i++) {
            MigInstance instance = new MigInstance(new CardId("GPU-p"), "1g.10gb", i, 0, List.of());
            Card card = mig && random.nextBoolean()
                    ? new Card(
                            new CardId("MIG-" + i),
                            i,
                            0,
                            "A100",
                            Memory.ofGib(10),
                            new Card.Details(null, null, null, true, instance))
                    : Card.of("GPU-" + i, i, Memory.ofGib(random.nextBoolean() ? 16 : 48));
            cards.add(card.withIsolation(isolation(random))
                    .withHealth(random.nextInt(6) == 0 ? new Health.Unhealthy("Xid 79") : new Health.Healthy())
                    .withCordoned(random.nextInt(8) == 0)
                    .withForeign(Memory.ofMib(random.nextInt(6) == 0 ? 256L * random.nextInt(80) : 0)));
        }
        Share beside = Share.cores(random.nextBoolean() ? 100 : 0).plus(Share.slots(random.nextInt(3)));
        return new Inventory(MemoryUnit.GIB, null, cards).withBeside(beside);
    }

    private static CardIsolation isolation(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> CardIsolation.closed("no supervisor");
            case 1 -> CardIsolation.of(Isolation.DRIVER);
            case 2, 3 -> CardIsolation.of(Isolation.MPS);
            default -> CardIsolation.NONE;
        };
    }

    private SchedulingPod pod(Random random) {
        pods++;
        Map<String, String> annotations = new HashMap<>();
        if (random.nextInt(4) == 0) {
            annotations.put("gpushare.io/select", random.nextBoolean() ? "memory >= 24Gi" : "uuid != GPU-0");
        }
        String memory = String.valueOf(2 * (1 + random.nextInt(26)));
        String cards = String.valueOf(1 + random.nextInt(3));
        List<Map<String, String>> containers = new ArrayList<>();
        switch (random.nextInt(7)) {
            case 0 -> containers.add(Map.of("aliyun.com/gpu-mem", memory));
            case 1, 2 ->
                containers.add(Map.of(
                        "aliyun.com/gpu-mem",
                        memory,
                        TestCluster.CORES,
                        String.valueOf(10 * (1 + random.nextInt(10)))));
            case 3 -> {
                annotations.put("gpushare.io/cards", "2");
                containers.add(Map.of("aliyun.com/gpu-mem", memory));
            }
            case 4 -> {
                if (random.nextBoolean()) {
                    containers.add(Map.of("aliyun.com/gpu-mem", "2"));
                }
                containers.add(Map.of("aliyun.com/gpu-count", cards));
            }
            case 5 -> containers.add(Map.of("nvidia.com/mig-1g.10gb", cards));
            default -> {
                annotations.clear();
                for (int i = 0; i < 1 + random.nextInt(2); i++) {
                    containers.add(TestCluster.inHamisWords(random, 20));
                }
            }
        }
        List<ContainerResources> resources = new ArrayList<>();
        containers.forEach(
                limits -> resources.add(new ContainerResources("c" + resources.size(), ContainerRole.APP, limits)));
        return new SchedulingPod(new PodRef("uid-" + pods, "default", "p" + pods), annotations, resources);
    }
}
