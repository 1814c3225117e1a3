package io.gpushare.extender.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.extender.policy.NodeChooser;
import io.gpushare.extender.policy.PodKind;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.policy.RecentKinds;
import io.gpushare.extender.policy.TestNodes;
import io.gpushare.extender.policy.scoring.Scoring;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Remembered costs are those of the scoring, and scores follow from them. */
class NodeCostsProperties {
    @Property(tries = 200)
    void rememberedCostsAreThoseOfTheScoringNow(@ForAll long seed, @ForAll PolicyKind kind) {
        Random random = new Random(seed);
        List<KnownNode> nodes = TestNodes.cluster(random);
        // More kinds than are remembered.
        List<PodRequest> pods = IntStream.range(0, RecentKinds.MOST + 8)
                .mapToObj(_ -> TestNodes.pod(random))
                .toList();
        Policies policy = new Policies(kind, KnownNode.capacity(nodes));
        ClusterNodes all = new ClusterNodes();
        for (int i = 0; i < 60; i++) {
            PodRequest pod = pods.get(random.nextInt(pods.size()));
            if (random.nextBoolean()) {
                policy.arrived(pod);
            }
            PodKind now = PodKind.withoutCards(policy.scoring(), pod);
            NodeCosts costs = new NodeCosts(nodes, all.verdicts(nodes, now), pod);
            for (int place = 0; place < nodes.size(); place++) {
                assertThat(costs.at(place))
                        .isEqualTo(now.costOn(nodes.get(place).entry()));
            }
        }
    }

    @Property(tries = 200)
    void scoresHaveOneWinnerInAnyOrderOfTheNodes(@ForAll long seed, @ForAll PolicyKind kind) {
        Random random = new Random(seed);
        List<KnownNode> nodes = TestNodes.cluster(random);
        PodRequest pod = TestNodes.pod(random);
        Policies policy = new Policies(kind, KnownNode.capacity(nodes));
        policy.arrived(pod);
        policy.arrived(TestNodes.pod(random));
        Optional<NodeChooser.Chosen> candidate = new NodeChooser(nodes).choose(policy.scoring(), pod);
        List<KnownNode> other = new ArrayList<>(nodes);
        Collections.shuffle(other, random);
        NodeCosts costs = costs(other, policy.scoring(), pod);
        int[] scores = costs.scores(10);
        assertThat(scores).hasSameSizeAs(nodes);
        assertThat(IntStream.of(scores)).allMatch(score -> score >= 0 && score <= 10);
        if (pod.gpu()) {
            assertThat(IntStream.of(scores).filter(score -> score == 10).count())
                    .isEqualTo(candidate.isPresent() ? 1 : 0);
        } else {
            // kube-scheduler chooses among equal scores.
            assertThat(IntStream.of(scores).anyMatch(score -> score == 10))
                    .isEqualTo(candidate.isPresent()
                            || nodes.stream()
                                    .anyMatch(node ->
                                            node.entry().cards().open().cards().isEmpty()));
            return;
        }
        assertThat(
                        costs.cheapest() < 0
                                ? Optional.empty()
                                : Optional.of(other.get(costs.cheapest()).name()))
                .isEqualTo(candidate.map(NodeChooser.Chosen::node));
        for (int i = 0; i < scores.length; i++) {
            for (int j = 0; j < scores.length; j++) {
                double a = policy.scoring().best(other.get(i).entry(), pod).cost();
                double b = policy.scoring().best(other.get(j).entry(), pod).cost();
                assertThat(scores[i] >= scores[j] || a > b - Scoring.SAME || scores[j] == 10)
                        .as("a node of lower cost never has the lower score, except against the winner")
                        .isTrue();
            }
        }
    }

    /** The costs on these nodes, in this order. */
    private static NodeCosts costs(List<KnownNode> nodes, Scoring scoring, PodRequest pod) {
        return new NodeCosts(nodes, new ClusterNodes().verdicts(nodes, PodKind.withoutCards(scoring, pod)), pod);
    }
}
