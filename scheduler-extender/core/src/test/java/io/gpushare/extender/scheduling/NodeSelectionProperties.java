package io.gpushare.extender.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.feasibility.FilterResult;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.Assumption;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.LedgerCounts;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.AnnotationObserver;
import io.gpushare.extender.pod.PodBuilder;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.policy.scoring.CardChoice;
import io.gpushare.extender.policy.scoring.Scoring;
import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.request.ContainerResources;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Filter, prioritize and bind agree on one ledger, with every policy. */
class NodeSelectionProperties {
    private static final int PODS = 60;

    @Provide
    Arbitrary<PolicyKind> offered() {
        return Arbitraries.of(PolicyKind.offered());
    }

    @Property(tries = 60)
    void filterPrioritizeAndBindAgree(@ForAll long seed, @ForAll("offered") PolicyKind kind) {
        Random random = new Random(seed);
        Placer placer = new Placer(new Ledger(TestCluster.DEMANDS, AnnotationObserver.none()), new Policies(kind));
        Ledger ledger = placer.ledger();
        List<String> nodes = TestCluster.cluster(random, ledger, UnaryOperator.identity());
        NodeSelection all = new NodeSelection(placer, new PlacementOutcomes(() -> 0), DecideIn.PRIORITIZE);
        NodeSelection one = new NodeSelection(placer, new PlacementOutcomes(() -> 0), DecideIn.FILTER);
        for (int i = 0; i < PODS; i++) {
            SchedulingPod pod = pod(random, i);
            Collections.shuffle(nodes, random);
            List<String> requested = nodes.subList(0, 1 + random.nextInt(nodes.size()));
            FilterResult filtered = all.filter(pod, requested);
            List<String> chosen = chosen(all, one, pod, requested);
            if (!chosen.isEmpty()) {
                NodeEntry before = ledger.nodeEntry(chosen.getFirst());
                Assumption bound = bind(placer, pod, chosen.getFirst());
                assertThat(bound)
                        .isInstanceOfSatisfying(
                                Assumption.Assumed.class,
                                assumed -> assertCheapest(
                                        placer, pod, before, assumed.holding().allocation()));
                // The pod's own reservation does not count against it.
                assertThat(chosen(all, one, pod, requested)).hasSize(1);
                assertThat(all.filter(pod, chosen).passed()).isEqualTo(1);
            }
            for (int node = 0; node < filtered.size(); node++) {
                if (filtered.why(node) == null) {
                    continue;
                }
                assertThat(bind(
                                placer,
                                new SchedulingPod(other(pod), pod.annotations(), pod.containers()),
                                requested.get(node)))
                        .isInstanceOf(Assumption.Refused.class);
            }
            assertThat(LedgerCounts.of(placer.ledger()).overcommitted()).isZero();
        }
        assertThat(ledger.state().nodes().stream().flatMap(node -> node.cards().cards().stream()))
                .allMatch(state -> state.occupied().units() <= state.capacity().units())
                .anyMatch(state -> !state.unused());
    }

    /** No other cards of the node that the pod accepts cost less by the pod's policy. */
    private static void assertCheapest(Placer placer, SchedulingPod pod, NodeEntry before, Allocation bound) {
        PodDemand.Valid demand = TestCluster.demand(placer.ledger(), pod);
        Scoring scoring = placer.scoring(demand.policy());
        int whole = demand.demand().total().wholeCards();
        if (demand.demand().sharedCards() > 1) {
            return; // their links decide
        }
        List<CardState> accepted = before.cards().cards().stream()
                .filter(state -> demand.demand().selector().matches(state.card(), null))
                .toList();
        double least = Double.POSITIVE_INFINITY;
        double taken = Double.POSITIVE_INFINITY;
        for (CardChoice candidate : CardChoice.of(before, demand.request())) {
            List<CardState> cards = accepted.stream()
                    .filter(state -> taken(candidate).stream().anyMatch(card -> CardChoice.alike(card, state)))
                    .toList();
            if (cards.size() >= Math.max(1, whole)) {
                least = Math.min(least, scoring.cost(candidate));
            }
            if (cards.stream().map(state -> state.card().id()).toList().containsAll(bound.cards())) {
                taken = Math.min(taken, scoring.cost(candidate));
            }
        }
        // Whole cards of several kinds are no choice of a policy if it has one without the cards that the pod rejects.
        if (least < Double.POSITIVE_INFINITY) {
            assertThat(taken).isLessThanOrEqualTo(least + Scoring.SAME);
        }
    }

    private static List<CardState> taken(CardChoice candidate) {
        return candidate.shared() == null ? candidate.whole() : List.of(candidate.shared());
    }

    /** The node that filter selects if it decides, which is also the one with the highest score. */
    private static List<String> chosen(
            NodeSelection all, NodeSelection one, SchedulingPod pod, List<String> requested) {
        FilterResult filtered = all.filter(pod, requested);
        assertThat(filtered.size()).isEqualTo(requested.size());
        List<String> feasible = filtered.feasible();
        int[] scores = all.prioritize(pod, feasible);
        FilterResult decided = one.filter(pod, requested);
        List<String> chosen = decided.feasible();
        assertSameExceptForOthers(decided, filtered);
        assertThat(chosen).hasSize(feasible.isEmpty() ? 0 : 1);
        for (int node = 0; node < scores.length; node++) {
            assertThat(scores[node] == NodeSelection.MAX_SCORE).isEqualTo(chosen.contains(feasible.get(node)));
        }
        return chosen;
    }

    private static void assertSameExceptForOthers(FilterResult decided, FilterResult filtered) {
        int others = 0;
        for (int node = 0; node < filtered.size(); node++) {
            if (filtered.why(node) != null) {
                assertThat(decided.why(node)).isEqualTo(filtered.why(node));
            } else if (decided.why(node) != null) {
                assertThat(decided.why(node)).isEqualTo(Reason.NOT_CHOSEN);
                others++;
            }
        }
        assertThat(decided.size()).isEqualTo(filtered.size());
        assertThat(others + decided.passed()).isEqualTo(filtered.passed());
    }

    /** Policies weigh the CPU and memory that all pods request, with and without cards. */
    @Property(tries = 20)
    void cpuRequestsCountOnTheNodeOfThePodWhileItExists(@ForAll long seed) {
        Random random = new Random(seed);
        Placer placer = TestCluster.placer();
        Ledger ledger = placer.ledger();
        List<String> nodes = TestCluster.cluster(random, ledger, UnaryOperator.identity());
        Map<String, String> where = new HashMap<>();
        Map<String, Long> requested = new HashMap<>();
        for (int i = 0; i < 200; i++) {
            String name = "p" + random.nextInt(20);
            PodRef ref = new PodRef(name + "-" + random.nextInt(2), "default", name);
            switch (random.nextInt(4)) {
                case 0 -> {
                    ledger.removePod(ref);
                    where.remove(ref.uid());
                }
                case 1 -> {
                    ledger.updatePod(PodBuilder.pod(ref)
                            .on("n0")
                            .ended(true)
                            .containers(containers(random, 5))
                            .build());
                    where.keySet().removeIf(uid -> uid.equals(ref.uid()));
                }
                default -> {
                    List<ContainerResources> containers = containers(random, 0);
                    String node = nodes.get(random.nextInt(nodes.size()));
                    where.keySet().removeIf(uid -> uid.startsWith(name + "-"));
                    ledger.updatePod(
                            PodBuilder.pod(ref).on(node).containers(containers).build());
                    where.put(ref.uid(), node);
                    requested.put(
                            ref.uid(),
                            Long.parseLong(containers.getFirst().quantities().getOrDefault("cpu", "0")) * 1000);
                }
            }
        }
        for (String node : nodes) {
            long sum = where.entrySet().stream()
                    .filter(pod -> pod.getValue().equals(node))
                    .mapToLong(pod -> requested.getOrDefault(pod.getKey(), 0L))
                    .sum();
            assertThat(ledger.nodeEntry(node).requested().cpuMilli()).isEqualTo(sum);
            assertThat(ledger.nodeEntry(node).free().cpuMilli()).isEqualTo(64_000 - sum);
        }
    }

    private static Assumption bind(Placer placer, SchedulingPod pod, String node) {
        return placer.assume(pod.ref(), TestCluster.demand(placer.ledger(), pod), node, TestCluster.NOW);
    }

    private static PodRef other(SchedulingPod pod) {
        return new PodRef(pod.ref().uid() + "-other", "default", pod.ref().name() + "-other");
    }

    private static SchedulingPod pod(Random random, int i) {
        Map<String, String> annotations = new HashMap<>();
        if (random.nextInt(4) == 0) {
            annotations.put(
                    "gpushare.io/policy",
                    PolicyKind.offered().get(random.nextInt(4)).toString());
        }
        List<ContainerResources> containers = containers(random, 1);
        String units = containers.getFirst().quantities().getOrDefault("aliyun.com/gpu-mem", "1");
        boolean hami = containers.getFirst().quantities().containsKey("nvidia.com/gpu");
        if (!hami && Integer.parseInt(units) % 2 == 0 && random.nextBoolean()) {
            annotations.put("gpushare.io/cards", "2");
        }
        if (random.nextInt(3) == 0) {
            annotations.put("gpushare.io/select", random.nextBoolean() ? "memory >= 24Gi" : "uuid != GPU-0-0");
        }
        return new SchedulingPod(new PodRef("uid-" + i, "default", "p" + i), annotations, containers);
    }

    private static List<ContainerResources> containers(Random random, int least) {
        Map<String, String> resources = new HashMap<>();
        resources.put("cpu", String.valueOf(random.nextInt(3)));
        resources.put("memory", random.nextInt(2000) + "Mi");
        if (least > 0 && random.nextInt(3) == 0) {
            resources.putAll(TestCluster.inHamisWords(random, 3));
        } else if (least > 0) {
            resources.put(
                    random.nextInt(4) == 0 ? "aliyun.com/gpu-count" : "aliyun.com/gpu-mem",
                    String.valueOf(1 + random.nextInt(3)));
        }
        return List.of(new ContainerResources("main", ContainerRole.APP, resources));
    }
}
