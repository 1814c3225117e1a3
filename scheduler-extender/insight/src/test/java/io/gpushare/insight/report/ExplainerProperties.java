package io.gpushare.insight.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.feasibility.FilterResult;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.NodeDemand;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.scheduling.DecideIn;
import io.gpushare.extender.scheduling.NodeSelection;
import io.gpushare.extender.scheduling.TestCluster;
import io.gpushare.insight.report.Explanation.Judged;
import io.gpushare.insight.report.Explanation.NodeVerdict;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Memory;
import io.gpushare.model.ledger.CardVerdict;
import io.gpushare.model.node.NodeRules;
import io.gpushare.model.request.ContainerResources;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** An explanation has the result of filter, and its cards explain that result. */
class ExplainerProperties {
    @Property(tries = 100)
    void nodesAreJudgedAsByFilterAndCardsExplainTheNode(@ForAll long seed) {
        Random random = new Random(seed);
        TestCluster cluster = new TestCluster(random, TestCluster.placer().ledger());
        Placer placer = TestCluster.placer();
        Ledger ledger = placer.ledger();
        List<String> nodes = cluster(random, ledger);
        NodeSelection selection = new NodeSelection(placer, new PlacementOutcomes(() -> 0), DecideIn.PRIORITIZE);
        Explainer explainer =
                new Explainer(ledger::state, placer, new PlacementOutcomes(() -> 0), cluster, () -> TestCluster.NOW);
        for (int i = 0; i < 40; i++) {
            SchedulingPod pod = pod(random, i);
            FilterResult filtered = selection.filter(pod, nodes);
            Judged judged = (Judged) explainer.of(pod, NodeRules.ANY);
            assertThat(judged.nodes()).hasSameSizeAs(nodes);
            assertThat(judged.feasible()).isEqualTo(filtered.feasible().size());
            for (NodeVerdict node : judged.nodes()) {
                // Filter adds whether any node of the cluster could ever take the pod.
                assertThat(filtered.why(nodes.indexOf(node.node())))
                        .isIn(node.why(), node.why() == null ? null : node.why().needsScaleUp());
                assertThat(node.why() == null).isEqualTo(enough(judged, node));
            }
            assertThat(Explainer.tally(ledger.state(), new NodeDemand(judged.demand(), NodeRules.ANY)))
                    .isEqualTo(new Explainer.Tally(judged.feasible(), judged.reasons()));
            if (!filtered.feasible().isEmpty()) {
                assertThat(judged.nodes().stream().filter(NodeVerdict::chosen).map(NodeVerdict::node))
                        .containsExactly(judged.nodes().getFirst().node());
                placer.assume(
                        pod.ref(),
                        TestCluster.demand(ledger, pod),
                        judged.nodes().getFirst().node(),
                        TestCluster.NOW);
            }
        }
    }

    /** Whether as many cards fit as the demand needs; the pods here request memory or cards, never both. */
    private static boolean enough(Judged judged, NodeVerdict node) {
        long taking = node.eachCard().stream().filter(CardVerdict::takes).count();
        return taking
                >= (judged.demand().shares()
                        ? judged.demand().split()
                        : judged.demand().total().wholeCards());
    }

    private static List<String> cluster(Random random, Ledger ledger) {
        List<String> nodes = TestCluster.cluster(
                random,
                ledger,
                card -> card.withHealth(random.nextInt(6) == 0 ? new Health.Unhealthy("Xid 79") : new Health.Healthy())
                        .withCordoned(random.nextInt(6) == 0)
                        .withForeign(Memory.ofMib(random.nextInt(6) == 0 ? 256L * random.nextInt(80) : 0)));
        ledger.updateNode("plain", Map.of(), HostResources.NONE);
        nodes.add("plain");
        return nodes;
    }

    private static SchedulingPod pod(Random random, int i) {
        boolean cards = random.nextInt(4) == 0;
        int split = cards ? 1 : 1 + random.nextInt(2);
        Map<String, String> annotations = random.nextBoolean()
                ? Map.of("gpushare.io/cards", String.valueOf(split))
                : Map.of(
                        "gpushare.io/cards",
                        String.valueOf(split),
                        "gpushare.io/select",
                        random.nextBoolean() ? "memory >= 24Gi" : "uuid != GPU-0-0");
        boolean hami = random.nextInt(3) == 0;
        if (cards || hami) {
            annotations = Map.of();
        }
        Map<String, String> quantities = hami
                ? TestCluster.inHamisWords(random, 20)
                : cards
                        ? Map.of("aliyun.com/gpu-count", String.valueOf(1 + random.nextInt(2)))
                        : Map.of("aliyun.com/gpu-mem", String.valueOf(split * (1 + random.nextInt(20))));
        return new SchedulingPod(
                new PodRef("uid-" + i, "default", "p" + i),
                annotations,
                List.of(new ContainerResources("main", ContainerRole.APP, quantities)));
    }
}
