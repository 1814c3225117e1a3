package io.gpushare.extender.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.scoring.CardChoice;
import io.gpushare.extender.policy.scoring.ClusterCapacity;
import io.gpushare.model.card.CardKind;
import io.gpushare.model.ledger.CardState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Invariants of every policy on random clusters of mixed cards, filled until pods are refused. */
class PoliciesProperties {
    private static final int PODS = 60;

    /** What is left of one node, computed without the code under test. */
    private static final class ByHand {
        private long cpu;
        private long memory;
        private final CardKind[] kinds;
        private final int[] free;

        ByHand(NodeEntry node) {
            cpu = node.free().cpuMilli();
            memory = node.free().memoryMib();
            kinds = new CardKind[node.cards().cards().size()];
            free = new int[kinds.length];
            node.cards().cards().forEach(card -> {
                kinds[TestCards.index(card)] = card.kind();
                free[TestCards.index(card)] = card.free().units();
            });
        }

        boolean fits(PodRequest pod) {
            long whole = IntStream.range(0, free.length)
                    .filter(card -> whole(pod, card))
                    .count();
            boolean cards = !pod.shares()
                    ? whole >= pod.cards()
                    : IntStream.range(0, free.length)
                            .filter(card -> shares(pod, card))
                            .anyMatch(card -> whole - (whole(pod, card) ? 1 : 0) >= pod.cards());
            return cards && pod.cpuMilli() <= cpu && pod.memoryMib() <= memory;
        }

        private boolean shares(PodRequest pod, int card) {
            boolean instance = pod.share().instances() == 0 || (kinds[card].instance() && unused(card));
            return instance && allowed(pod, card) && free[card] >= pod.units();
        }

        private boolean whole(PodRequest pod, int card) {
            return allowed(pod, card) && !kinds[card].instance() && unused(card);
        }

        private boolean unused(int card) {
            return free[card] == kinds[card].units();
        }

        private boolean allowed(PodRequest pod, int card) {
            return pod.models().isEmpty() || pod.models().contains(kinds[card].model());
        }

        void take(CardChoice candidate) {
            assertThat(candidate.whole()).hasSize(candidate.pod().cards());
            for (CardState card : candidate.whole()) {
                assertThat(whole(candidate.pod(), TestCards.index(card))).isTrue();
                free[TestCards.index(card)] = 0;
            }
            CardState shared = candidate.shared();
            assertThat(shared != null).isEqualTo(candidate.pod().shares());
            if (shared != null) {
                assertThat(shares(candidate.pod(), TestCards.index(shared))).isTrue();
                free[TestCards.index(shared)] -= candidate.pod().units();
                assertThat(free[TestCards.index(shared)]).isNotNegative();
            }
            cpu -= candidate.pod().cpuMilli();
            memory -= candidate.pod().memoryMib();
            assertThat(Math.min(cpu, memory)).isNotNegative();
        }
    }

    @Property(tries = 60)
    void everyPolicyPlacesOnlyWhatFitsAndRefusesOnlyWhatDoesNot(@ForAll long seed, @ForAll PolicyKind kind) {
        Random random = new Random(seed);
        List<KnownNode> nodes = TestNodes.cluster(random);
        Map<String, ByHand> byHand = new HashMap<>();
        nodes.forEach(node -> byHand.put(node.name(), new ByHand(node.entry())));
        NodeChooser chooser = new NodeChooser(nodes);
        Policies policy = new Policies(kind, KnownNode.capacity(nodes));
        for (int i = 0; i < PODS; i++) {
            PodRequest pod = TestNodes.pod(random);
            policy.arrived(pod);
            Optional<NodeChooser.Chosen> candidate = chooser.choose(policy.scoring(), pod);
            assertThat(candidate.isPresent()).isEqualTo(byHand.values().stream().anyMatch(node -> node.fits(pod)));
            if (candidate.isPresent()) {
                of(byHand, candidate.get().node()).take(candidate.get().cards());
                chooser.take(candidate.get());
            }
        }
        chooser.nodes()
                .forEach(node -> node.entry()
                        .cards()
                        .cards()
                        .forEach(card -> assertThat(card.free().units())
                                .isEqualTo(of(byHand, node.name()).free[TestCards.index(card)])));
    }

    private static ByHand of(Map<String, ByHand> byHand, String node) {
        return Objects.requireNonNull(byHand.get(node));
    }

    @Property(tries = 40)
    void placementsDependNeitherOnCachesNorOnTheOrderOfTheNodes(
            @ForAll long seed, @ForAll PolicyKind kind, @ForAll boolean foreknowing) {
        Random random = new Random(seed);
        List<KnownNode> nodes = TestNodes.cluster(random);
        List<PodRequest> pods = new ArrayList<>();
        for (int i = 0; i < PODS; i++) {
            pods.add(i % 3 == 0 ? TestNodes.pod(random) : pods.get(random.nextInt(i)));
        }
        Policies first = policy(kind, foreknowing, nodes, pods);
        Policies second = policy(kind, foreknowing, nodes, pods);
        NodeChooser remembers = new NodeChooser(nodes);
        List<KnownNode> now = new ArrayList<>(nodes).reversed();
        for (PodRequest pod : pods) {
            first.arrived(pod);
            second.arrived(pod);
            Optional<NodeChooser.Chosen> candidate = remembers.choose(first.scoring(), pod);
            // Copies of the nodes are not cached.
            Optional<NodeChooser.Chosen> fresh = new NodeChooser(
                            now.stream().map(node -> node.with(node.entry())).toList())
                    .choose(second.scoring(), pod);
            assertThat(fresh.map(PoliciesProperties::where)).isEqualTo(candidate.map(PoliciesProperties::where));
            if (candidate.isPresent()) {
                remembers.take(candidate.get());
                List<KnownNode> after = remembers.nodes().toList();
                now.clear();
                now.addAll(after.reversed());
            }
        }
    }

    private static String where(NodeChooser.Chosen chosen) {
        return chosen.node() + " " + chosen.cards().shared() + " "
                + chosen.cards().whole();
    }

    private static Policies policy(PolicyKind kind, boolean foreknowing, List<KnownNode> nodes, List<PodRequest> pods) {
        ClusterCapacity capacity = KnownNode.capacity(nodes);
        return foreknowing ? Policies.knowing(kind, capacity, pods) : new Policies(kind, capacity);
    }
}
