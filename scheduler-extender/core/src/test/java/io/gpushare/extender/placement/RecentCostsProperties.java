package io.gpushare.extender.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.capacity.Candidate;
import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.policy.NodeChooser;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.policy.PolicyKind;
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
import org.junit.jupiter.api.Test;

/** Remembered costs are those of the nodes as they are now, and scores follow from them. */
class RecentCostsProperties {
    @Property(tries = 200)
    void rememberedCostsAreThoseOfTheNodesNow(@ForAll long seed, @ForAll PolicyKind kind) {
        Random random = new Random(seed);
        List<FreeNode> nodes = TestNodes.cluster(random);
        List<PodRequest> pods = List.of(TestNodes.pod(random), TestNodes.pod(random), TestNodes.pod(random));
        Policies policy = new Policies(kind, ClusterCapacity.of(nodes));
        ClusterNodes all = indexed(nodes);
        RecentCosts recent = all.costs();
        for (int i = 0; i < 20; i++) {
            PodRequest pod = pods.get(random.nextInt(pods.size()));
            if (random.nextBoolean()) {
                policy.arrived(pod);
            } else {
                new NodeChooser(now(all))
                        .choose(policy.scoring(), pod)
                        .map(Candidate::after)
                        .ifPresent(after -> put(all, after));
            }
            List<Integer> indices = new ArrayList<>();
            for (int index = 0; index < nodes.size(); index++) {
                if (random.nextInt(5) > 0) {
                    indices.add(index);
                }
            }
            Collections.shuffle(indices, random);
            int[] chosen = indices.stream().mapToInt(index -> index).toArray();
            NodeCosts costs = recent.of(chosen, policy.scoring(), pod);
            for (int place = 0; place < chosen.length; place++) {
                assertThat(costs.at(place)).isEqualTo(RecentCosts.cost(all.node(chosen[place]), policy.scoring(), pod));
            }
            assertThat(recent.cheapest(policy.scoring(), pod))
                    .isEqualTo(costs(now(all), policy.scoring(), pod).cheapest());
            if (chosen.length > 0) {
                NodeCosts changed = costs.with(chosen[0], -1e9, pod);
                assertThat(changed.cheapest()).isZero();
                assertThat(recent.of(chosen, policy.scoring(), pod).at(0)).isEqualTo(costs.at(0));
            }
        }
        assertThat(recent.of(new int[] {-1}, policy.scoring(), pods.getFirst()).at(0))
                .isEqualTo(RecentCosts.cost(FreeNode.NOWHERE, policy.scoring(), pods.getFirst()));
    }

    /** A new node is readable by its index shortly before its change is counted. */
    @Test
    void aNodeThatIsBeingAddedHasItsCost() {
        Random random = new Random(1);
        List<FreeNode> nodes = TestNodes.cluster(random);
        PodRequest pod = TestNodes.pod(random);
        Policies policy = new Policies(PolicyKind.WSP, ClusterCapacity.of(nodes));
        int last = nodes.size() - 1;
        ClusterNodes growing = indexed(nodes.subList(0, last));
        RecentCosts recent = growing.costs();
        recent.cheapest(policy.scoring(), pod);
        growing.set(nodes.get(last).name(), NodeEntry.orUnseen(null), nodes.get(last));

        assertThat(recent.of(new int[] {last}, policy.scoring(), pod).at(0))
                .isEqualTo(RecentCosts.cost(nodes.get(last), policy.scoring(), pod))
                .isNotZero();
    }

    @Property(tries = 200)
    void scoresHaveOneWinnerInAnyOrderOfTheNodes(@ForAll long seed, @ForAll PolicyKind kind) {
        Random random = new Random(seed);
        List<FreeNode> nodes = TestNodes.cluster(random);
        PodRequest pod = TestNodes.pod(random);
        Policies policy = new Policies(kind, ClusterCapacity.of(nodes));
        policy.arrived(pod);
        policy.arrived(TestNodes.pod(random));
        Optional<Candidate> candidate = new NodeChooser(nodes).choose(policy.scoring(), pod);
        List<FreeNode> other = new ArrayList<>(nodes);
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
                            || nodes.stream().anyMatch(node -> node.cards().isEmpty()));
            return;
        }
        assertThat(
                        costs.cheapest() < 0
                                ? Optional.empty()
                                : Optional.of(other.get(costs.cheapest()).name()))
                .isEqualTo(candidate.map(best -> best.node().name()));
        for (int i = 0; i < scores.length; i++) {
            for (int j = 0; j < scores.length; j++) {
                double a = policy.scoring().best(other.get(i), pod).cost();
                double b = policy.scoring().best(other.get(j), pod).cost();
                assertThat(scores[i] >= scores[j] || a > b - Scoring.SAME || scores[j] == 10)
                        .as("a node of lower cost never has the lower score, except against the winner")
                        .isTrue();
            }
        }
    }

    private static ClusterNodes indexed(List<FreeNode> nodes) {
        ClusterNodes indexed = ClusterNodes.empty();
        nodes.forEach(node -> put(indexed, node));
        return indexed;
    }

    private static void put(ClusterNodes nodes, FreeNode now) {
        nodes.set(now.name(), NodeEntry.orUnseen(null), now);
        nodes.changed();
    }

    private static List<FreeNode> now(ClusterNodes nodes) {
        return IntStream.range(0, nodes.size()).mapToObj(nodes::node).toList();
    }

    /** The costs on these nodes, in this order, computed anew. */
    private static NodeCosts costs(List<FreeNode> nodes, Scoring scoring, PodRequest pod) {
        return indexed(nodes).all().costs(scoring, pod);
    }
}
