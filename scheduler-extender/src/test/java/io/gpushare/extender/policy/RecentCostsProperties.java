package io.gpushare.extender.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.capacity.Candidate;
import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Remembered costs are those of the nodes as they are now. */
class RecentCostsProperties {
    @Property(tries = 200)
    void rememberedCostsAreThoseOfTheNodesNow(@ForAll long seed, @ForAll PolicyKind kind) {
        Random random = new Random(seed);
        List<FreeNode> nodes = TestNodes.cluster(random);
        List<PodRequest> pods = List.of(TestNodes.pod(random), TestNodes.pod(random), TestNodes.pod(random));
        Policies policy = new Policies(kind, ClusterCapacity.of(nodes));
        TestNodes all = new TestNodes(nodes);
        RecentCosts recent = new RecentCosts(all);
        for (int i = 0; i < 20; i++) {
            PodRequest pod = pods.get(random.nextInt(pods.size()));
            if (random.nextBoolean()) {
                policy.arrived(pod);
            } else {
                new NodeChooser(all.nodes)
                        .choose(policy.scoring(), pod)
                        .map(Candidate::after)
                        .ifPresent(all::changed);
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
                    .isEqualTo(TestNodes.costs(all.nodes, policy.scoring(), pod).cheapest());
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
        TestNodes growing = new TestNodes(nodes);
        growing.size = nodes.size() - 1;
        RecentCosts recent = new RecentCosts(growing);
        recent.cheapest(policy.scoring(), pod);
        growing.size = nodes.size();

        int last = nodes.size() - 1;
        assertThat(recent.of(new int[] {last}, policy.scoring(), pod).at(0))
                .isEqualTo(RecentCosts.cost(nodes.get(last), policy.scoring(), pod))
                .isNotZero();
    }
}
