package io.gpushare.extender.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.capacity.Candidate;
import io.gpushare.extender.capacity.CardKind;
import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.FreeCard;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.FreeNodes;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.scoring.Scoring;
import io.gpushare.model.HostResources;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Invariants of every policy on random clusters of mixed cards, filled until pods are refused. */
class PoliciesProperties {
    private static final List<CardKind> KINDS = List.of(
            new CardKind("T4", 15), new CardKind("V100", 16), new CardKind("V100", 32), new CardKind("A100", 4000));
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
            boolean cards = pod.units() == 0
                    ? whole >= pod.cards()
                    : IntStream.range(0, free.length)
                            .filter(card -> allowed(pod, card) && free[card] >= pod.units())
                            .anyMatch(card -> whole - (whole(pod, card) ? 1 : 0) >= pod.cards());
            return cards && pod.cpuMilli() <= cpu && pod.memoryMib() <= memory;
        }

        private boolean whole(PodRequest pod, int card) {
            return allowed(pod, card) && free[card] == kinds[card].units();
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
            assertThat(shared != null).isEqualTo(candidate.pod().units() > 0);
            if (shared != null) {
                assertThat(allowed(candidate.pod(), shared.index())).isTrue();
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
        List<FreeNode> nodes = cluster(random);
        Map<String, ByHand> byHand = new HashMap<>();
        nodes.forEach(node -> byHand.put(node.name(), new ByHand(node)));
        NodeChooser chooser = new NodeChooser(nodes);
        Policy policy = kind.fromNothing(ClusterCapacity.of(nodes), seed);
        for (int i = 0; i < PODS; i++) {
            PodRequest pod = pod(random);
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
        List<FreeNode> nodes = cluster(random);
        List<PodRequest> pods = new ArrayList<>();
        for (int i = 0; i < PODS; i++) {
            pods.add(i % 3 == 0 ? pod(random) : pods.get(random.nextInt(i)));
        }
        Policy first = policy(kind, foreknowing, nodes, pods, seed);
        Policy second = policy(kind, foreknowing, nodes, pods, seed);
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

    @Property(tries = 200)
    void scoresHaveOneWinnerInAnyOrderOfTheNodes(@ForAll long seed, @ForAll PolicyKind kind) {
        Random random = new Random(seed);
        List<FreeNode> nodes = cluster(random);
        PodRequest pod = pod(random);
        Policy policy = kind.fromNothing(ClusterCapacity.of(nodes), seed);
        policy.arrived(pod);
        policy.arrived(pod(random));
        Optional<Candidate> candidate = new NodeChooser(nodes).choose(policy.scoring(), pod);
        List<FreeNode> other = new ArrayList<>(nodes);
        Collections.shuffle(other, random);
        NodeCosts costs = costs(other, policy.scoring(), pod);
        int[] scores = costs.scores(10);
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

    @Property(tries = 200)
    void rememberedCostsAreThoseOfTheNodesNow(@ForAll long seed, @ForAll PolicyKind kind) {
        Random random = new Random(seed);
        List<FreeNode> nodes = cluster(random);
        List<PodRequest> pods = List.of(pod(random), pod(random), pod(random));
        Policy policy = kind.fromNothing(ClusterCapacity.of(nodes), seed);
        Listed all = new Listed(nodes);
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
            for (int number = 0; number < nodes.size(); number++) {
                if (random.nextInt(5) > 0) {
                    indices.add(number);
                }
            }
            Collections.shuffle(indices, random);
            int[] numbers = indices.stream().mapToInt(number -> number).toArray();
            NodeCosts costs = recent.of(numbers, policy.scoring(), pod);
            for (int place = 0; place < numbers.length; place++) {
                assertThat(costs.at(place))
                        .isEqualTo(RecentCosts.cost(all.node(numbers[place]), policy.scoring(), pod));
            }
            assertThat(recent.cheapest(policy.scoring(), pod))
                    .isEqualTo(costs(all.nodes, policy.scoring(), pod).cheapest());
            if (numbers.length > 0) {
                NodeCosts changed = costs.with(numbers[0], -1e9, pod);
                assertThat(changed.cheapest()).isZero();
                assertThat(recent.of(numbers, policy.scoring(), pod).at(0)).isEqualTo(costs.at(0));
            }
        }
        assertThat(recent.of(new int[] {-1}, policy.scoring(), pods.getFirst()).at(0))
                .isEqualTo(RecentCosts.cost(FreeNode.NOWHERE, policy.scoring(), pods.getFirst()));
    }

    /** A new node is readable by its index shortly before its change is counted. */
    @Test
    void aNodeThatIsBeingAddedHasItsCost() {
        Random random = new Random(1);
        List<FreeNode> nodes = cluster(random);
        PodRequest pod = pod(random);
        Policy policy = PolicyKind.WSP.fromNothing(ClusterCapacity.of(nodes), 1);
        Listed growing = new Listed(nodes);
        growing.size = nodes.size() - 1;
        RecentCosts recent = new RecentCosts(growing);
        recent.cheapest(policy.scoring(), pod);
        growing.size = nodes.size();

        int last = nodes.size() - 1;
        assertThat(recent.of(new int[] {last}, policy.scoring(), pod).at(0))
                .isEqualTo(RecentCosts.cost(nodes.get(last), policy.scoring(), pod))
                .isNotZero();
    }

    /** Nodes by their positions in a list. */
    private static final class Listed implements FreeNodes {
        private final List<FreeNode> nodes;
        private final int[] versions;
        private int size;

        Listed(List<FreeNode> nodes) {
            this.nodes = new ArrayList<>(nodes);
            this.versions = new int[nodes.size()];
            Arrays.fill(versions, 1);
            size = versions.length;
        }

        void changed(FreeNode now) {
            for (int i = 0; i < versions.length; i++) {
                if (nodes.get(i).name().equals(now.name())) {
                    nodes.set(i, now);
                    versions[i]++;
                }
            }
        }

        @Override
        public int capacity() {
            return versions.length;
        }

        @Override
        public int size() {
            return size;
        }

        @Override
        public FreeNode node(int number) {
            return nodes.get(number);
        }

        @Override
        public boolean isBefore(int one, int other) {
            return FreeNode.ORDER.compare(nodes.get(one), nodes.get(other)) < 0;
        }

        @Override
        public int changes() {
            return Arrays.stream(versions).sum();
        }

        @Override
        public int version(int number) {
            return versions[number];
        }
    }

    private static NodeCosts costs(List<FreeNode> nodes, Scoring scoring, PodRequest pod) {
        return new RecentCosts(new Listed(nodes))
                .of(IntStream.range(0, nodes.size()).toArray(), scoring, pod);
    }

    private static String where(Candidate candidate) {
        return candidate.node().name() + " " + candidate.shared() + " " + candidate.whole();
    }

    private static Policy policy(
            PolicyKind kind, boolean foreknowing, List<FreeNode> nodes, List<PodRequest> pods, long seed) {
        ClusterCapacity capacity = ClusterCapacity.of(nodes);
        return foreknowing ? kind.withForeknowledge(capacity, seed, pods) : kind.fromNothing(capacity, seed);
    }

    private static List<FreeNode> cluster(Random random) {
        List<FreeNode> nodes = new ArrayList<>();
        int count = 1 + random.nextInt(6);
        for (int i = 0; i < count; i++) {
            List<FreeCard> cards = new ArrayList<>();
            CardKind common = KINDS.get(random.nextInt(KINDS.size()));
            int number = random.nextInt(6);
            for (int card = 0; card < number; card++) {
                cards.add(FreeCard.unused(
                        card, random.nextInt(4) == 0 ? KINDS.get(random.nextInt(KINDS.size())) : common));
            }
            nodes.add(FreeNode.of("node-" + i, 0, 1000L * (1 + random.nextInt(64)), 1L << random.nextInt(18), cards));
        }
        return nodes;
    }

    private static PodRequest pod(Random random) {
        int units = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(random.nextInt(8) == 0 ? 3000 : 20);
        int cards = units == 0 || random.nextInt(8) == 0 ? random.nextInt(4) : 0;
        Set<String> models = switch (random.nextInt(5)) {
            case 0 -> Set.of("V100");
            case 1 -> Set.of("A100", "T4", "unknown");
            default -> Set.of();
        };
        return new PodRequest(500L * random.nextInt(10), 200L * random.nextInt(10), units, cards, models);
    }
}
