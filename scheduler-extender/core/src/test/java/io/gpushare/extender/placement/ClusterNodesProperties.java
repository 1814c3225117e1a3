package io.gpushare.extender.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.pod.PodBuilder;
import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.extender.policy.PodKind;
import io.gpushare.extender.policy.Verdict;
import io.gpushare.extender.policy.scoring.Scoring;
import io.gpushare.extender.scheduling.TestCluster;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.request.ContainerResources;
import io.gpushare.model.selector.CardSelector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Verdicts and remembered costs are those of the ledger while nodes are added, changed, removed and added again. */
class ClusterNodesProperties {
    private static final int EVENTS = 10_000;
    private static final int NAMES = 5000;
    private static final int WINDOW = 600;
    private static final Scoring BY_FREE = choice ->
            choice.node().cards().open().freeUnits() + choice.node().free().cpuMilli();
    private static final PodRequest POD = new PodRequest(1000, 100, 1, 0, Set.of());
    private static final List<Demand> DEMANDS = List.of(
            demand(1, 1, 0),
            demand(1, 9, 0),
            demand(1, 17, 0),
            demand(1, 0, 1),
            demand(1, 0, 2),
            demand(1, 0, 4),
            demand(1, 5, 1),
            demand(2, 4, 0));

    private static Demand demand(int cards, int units, int whole) {
        return new Demand(
                Stream.of(Share.memory(cards * units), Share.whole(whole))
                        .filter(share -> !share.isNone())
                        .map(share -> new ContainerDemand("c" + share.units(), ContainerRole.APP, share))
                        .toList(),
                cards,
                CardSelector.ANY);
    }

    @Property(tries = 4)
    void verdictsAndCostsAreThoseOfTheLedger(@ForAll long seed) {
        Random random = new Random(seed);
        Placer placer = TestCluster.placer();
        Ledger ledger = placer.ledger();
        for (int i = 0; i < EVENTS; i++) {
            // Nodes are added one after the other, and removed.
            int newest = i * NAMES / EVENTS;
            event(placer, "n" + Math.max(0, newest - random.nextInt(WINDOW)), random);
            ledger.removeNode("n" + (newest - WINDOW));
            if (i % 100 == 0) {
                compare(placer, random);
            }
        }
        assertThat(placer.nodes().all())
                .as("removed nodes take no space, unless a pod is on them")
                .hasSizeLessThan(2 * WINDOW);
    }

    private static void event(Placer placer, String node, Random random) {
        Ledger ledger = placer.ledger();
        switch (random.nextInt(6)) {
            case 0 -> ledger.removeNode(node);
            case 1, 2, 3 -> {
                Inventory inventory = new Inventory(
                        TestCluster.cards(16, 8).unit(),
                        null,
                        TestCluster.cards(16, 8).cards().stream()
                                .map(card -> card.withHealth(
                                        random.nextInt(4) == 0 ? new Health.Unhealthy("Xid 79") : new Health.Healthy()))
                                .toList());
                ledger.updateNode(
                        node,
                        Map.of(AnnotationKeys.INVENTORY, InventoryCodec.encode(inventory)),
                        new HostResources(8000, 8000));
            }
            case 4 ->
                ledger.updateNode(
                        node,
                        random.nextBoolean() ? Map.of() : Map.of(AnnotationKeys.INVENTORY, "{"),
                        HostResources.NONE);
            default -> {
                PodRef pod = new PodRef("uid-" + random.nextInt(300), "default", "p" + random.nextInt(300));
                List<ContainerResources> containers = List.of(new ContainerResources(
                        "main", ContainerRole.APP, Map.of("cpu", "1", "aliyun.com/gpu-mem", "8")));
                ledger.updatePod(PodBuilder.pod(pod).containers(containers).build());
                placer.assume(
                        pod,
                        TestCluster.demand(ledger, new SchedulingPod(pod, Map.of(), containers)),
                        node,
                        TestCluster.NOW);
            }
        }
    }

    private static void compare(Placer placer, Random random) {
        Ledger ledger = placer.ledger();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < NAMES; i += 1 + random.nextInt(8)) {
            names.add("n" + i);
        }
        ClusterNodes all = placer.nodes();
        List<KnownNode> nodes = all.named(names, Map.of());
        for (Demand demand : DEMANDS) {
            List<Verdict> verdicts = all.verdicts(nodes, new PodKind(BY_FREE, POD, demand));
            for (int i = 0; i < names.size(); i++) {
                NodeEntry entry = ledger.nodeEntry(names.get(i));
                Reason refusal = entry.refusal(demand);
                assertThat(verdicts.get(i).refusal()).isEqualTo(refusal);
                assertThat(verdicts.get(i).cost())
                        .isEqualTo(refusal == null ? cost(entry, POD) : Double.POSITIVE_INFINITY);
            }
        }
        PodRequest pod = new PodRequest(1000, 100, 1 + random.nextInt(3), 0, Set.of());
        PodKind kind = PodKind.withoutCards(BY_FREE, pod);
        List<Verdict> verdicts = all.verdicts(nodes, kind);
        for (int i = 0; i < names.size(); i++) {
            assertThat(verdicts.get(i).refusal()).isNull();
            assertThat(verdicts.get(i).cost()).isEqualTo(cost(ledger.nodeEntry(names.get(i)), pod));
        }
        Map<String, NodeEntry> apart = Map.of(names.getFirst(), NodeEntry.orUnseen(null));
        assertThat(all.verdicts(all.named(names, apart), kind).getFirst().cost())
                .isInfinite();
        assertThat(all.verdicts(nodes, kind).getFirst()).isEqualTo(verdicts.getFirst());
    }

    private static double cost(NodeEntry entry, PodRequest pod) {
        return PodKind.withoutCards(BY_FREE, pod).costOn(entry);
    }
}
