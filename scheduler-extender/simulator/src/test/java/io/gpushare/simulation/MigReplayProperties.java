package io.gpushare.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.model.card.CardKind;
import io.gpushare.model.ledger.CardState;
import io.gpushare.simulation.cluster.SimulatedExtender;
import io.gpushare.simulation.cluster.SimulatedExtender.Placed;
import io.gpushare.simulation.suite.SuiteCluster;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

/** The extender's verbs on drawn clusters with cut cards, checked without the code under test. */
class MigReplayProperties {
    private static final int MOST_PODS = 200;

    /** What is on one node. */
    private static final class OnNode {
        private final List<CardState> empty;
        private final List<PodRequest> pods = new ArrayList<>();

        OnNode(List<CardState> empty) {
            this.empty = empty;
        }

        /** Instances that pods took and whole cards are no more than there are, and the rest holds the memory pods. */
        void check() {
            Map<String, Integer> cards = new HashMap<>();
            empty.forEach(card -> cards.merge(name(card.kind()), 1, Integer::sum));
            long memory = empty.stream().mapToLong(card -> card.kind().units()).sum();
            for (PodRequest pod : pods) {
                if (pod.share().instances() > 0) {
                    assertThat(pod.models()).hasSize(1);
                    cards.merge(pod.models().iterator().next(), -1, Integer::sum);
                    memory -= pod.units();
                } else {
                    cards.merge("", -pod.cards(), Integer::sum);
                    memory -= pod.units() + (long) pod.cards() * smallestFull();
                }
            }
            assertThat(cards.values()).as("%s on %s", pods, empty).allMatch(left -> left >= 0);
            assertThat(memory).as("%s on %s", pods, empty).isNotNegative();
        }

        private static String name(CardKind kind) {
            return kind.instance() ? kind.model() : "";
        }

        private int smallestFull() {
            return empty.stream()
                    .map(CardState::kind)
                    .filter(kind -> !kind.instance())
                    .mapToInt(CardKind::units)
                    .min()
                    .orElse(0);
        }
    }

    @Property(tries = 16)
    void noInstanceIsGivenTwiceAndEachPodGetsItsKind(
            @ForAll @LongRange(min = 1, max = 100_000) long seed, @ForAll PolicyKind kind) {
        SuiteCluster cluster = SuiteCluster.of(seed, true);
        Map<String, OnNode> nodes = new HashMap<>();
        cluster.nodes()
                .forEach(node -> nodes.put(
                        node.name() + "-0", new OnNode(node.entry().cards().cards())));
        SimulatedExtender extender = new SimulatedExtender(cluster.nodes(), kind, 0);
        for (PodRequest pod :
                cluster.pods().subList(0, Math.min(MOST_PODS, cluster.pods().size()))) {
            Optional<Placed> placed = extender.schedule(extender.arrived(pod));
            placed.ifPresent(where -> {
                OnNode node = nodes.getOrDefault(where.node(), new OnNode(List.of()));
                node.pods.add(pod);
                node.check();
                assertThat(where.units()).isGreaterThanOrEqualTo(pod.units());
            });
        }
    }
}
