package io.gpushare.extender.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.capacity.Candidate;
import io.gpushare.extender.capacity.CardKind;
import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.FreeCard;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.model.HostResources;
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

        ByHand(FreeNode node) {
            cpu = node.cpuMilli();
            memory = node.memoryMib();
            kinds = new CardKind[node.cards().size()];
            free = new int[kinds.length];
            node.cards().forEach(card -> {
                kinds[card.index()] = card.kind();
                free[card.index()] = card.units();
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

        void take(Candidate candidate) {
            assertThat(candidate.whole()).hasSize(candidate.pod().cards());
            for (FreeCard card : candidate.whole()) {
                assertThat(whole(candidate.pod(), card.index())).isTrue();
                free[card.index()] = 0;
            }
            FreeCard shared = candidate.shared();
            assertThat(shared != null).isEqualTo(candidate.pod().shares());
            if (shared != null) {
                assertThat(shares(candidate.pod(), shared.index())).isTrue();
                free[shared.index()] -= candidate.pod().units();
                assertThat(free[shared.index()]).isNotNegative();
            }
            cpu -= candidate.pod().cpuMilli();
            memory -= candidate.pod().memoryMib();
            assertThat(Math.min(cpu, memory)).isNotNegative();
        }
    }

    @Property(tries = 60)
    void everyPolicyPlacesOnlyWhatFitsAndRefusesOnlyWhatDoesNot(@ForAll long seed, @ForAll PolicyKind kind) {
        Random random = new Random(seed);
        List<FreeNode> nodes = TestNodes.cluster(random);
        Map<String, ByHand> byHand = new HashMap<>();
        nodes.forEach(node -> byHand.put(node.name(), new ByHand(node)));
        NodeChooser chooser = new NodeChooser(nodes);
        Policies policy = new Policies(kind, ClusterCapacity.of(nodes));
        for (int i = 0; i < PODS; i++) {
            PodRequest pod = TestNodes.pod(random);
            policy.arrived(pod);
            Optional<Candidate> candidate = chooser.choose(policy.scoring(), pod);
            assertThat(candidate.isPresent()).isEqualTo(byHand.values().stream().anyMatch(node -> node.fits(pod)));
            if (candidate.isPresent()) {
                of(byHand, candidate.get().node()).take(candidate.get());
                chooser.update(candidate.get().after());
            }
        }
        chooser.nodes()
                .forEach(node -> node.cards()
                        .forEach(card -> assertThat(card.units()).isEqualTo(of(byHand, node).free[card.index()])));
    }

    private static ByHand of(Map<String, ByHand> byHand, FreeNode node) {
        return Objects.requireNonNull(byHand.get(node.name()));
    }

    @Property(tries = 40)
    void placementsDependNeitherOnCachesNorOnTheOrderOfTheNodes(
            @ForAll long seed, @ForAll PolicyKind kind, @ForAll boolean foreknowing) {
        Random random = new Random(seed);
        List<FreeNode> nodes = TestNodes.cluster(random);
        List<PodRequest> pods = new ArrayList<>();
        for (int i = 0; i < PODS; i++) {
            pods.add(i % 3 == 0 ? TestNodes.pod(random) : pods.get(random.nextInt(i)));
        }
        Policies first = policy(kind, foreknowing, nodes, pods);
        Policies second = policy(kind, foreknowing, nodes, pods);
        NodeChooser remembers = new NodeChooser(nodes);
        List<FreeNode> now = new ArrayList<>(nodes).reversed();
        for (PodRequest pod : pods) {
            first.arrived(pod);
            second.arrived(pod);
            Optional<Candidate> candidate = remembers.choose(first.scoring(), pod);
            // Copies of the nodes are not cached.
            Optional<Candidate> fresh = new NodeChooser(now.stream()
                            .map(node -> node.with(new HostResources(node.cpuMilli(), node.memoryMib()), node.cards()))
                            .toList())
                    .choose(second.scoring(), pod);
            assertThat(fresh.map(PoliciesProperties::where)).isEqualTo(candidate.map(PoliciesProperties::where));
            if (candidate.isPresent()) {
                FreeNode after = candidate.get().after();
                remembers.update(after);
                now.replaceAll(node -> node.name().equals(after.name()) ? after : node);
            }
        }
    }

    private static String where(Candidate candidate) {
        return candidate.node().name() + " " + candidate.shared() + " " + candidate.whole();
    }

    private static Policies policy(PolicyKind kind, boolean foreknowing, List<FreeNode> nodes, List<PodRequest> pods) {
        ClusterCapacity capacity = ClusterCapacity.of(nodes);
        return foreknowing ? Policies.knowing(kind, capacity, pods) : new Policies(kind, capacity);
    }
}
