package io.gpushare.extender.simulation;

import io.gpushare.extender.capacity.FreeCard;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.ledger.AnnotationObserver;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.outcome.PlacementOutcomes;
import io.gpushare.extender.pod.ClusterPod;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.policy.PolicyKind;
import io.gpushare.extender.scheduling.BindResult;
import io.gpushare.extender.scheduling.Binder;
import io.gpushare.extender.scheduling.DecideIn;
import io.gpushare.extender.scheduling.NodeSelection;
import io.gpushare.extender.scheduling.PodApi;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.ContainerResources;
import io.gpushare.model.codec.DemandCodec;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.codec.ResourceNames;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Places pods by the extender's verbs, as in a cluster: its policy learns from the pods, filter chooses among the nodes that
 * have the CPU and memory, and bind allocates the cards. A pod without GPU goes to the least allocated of the nodes to
 * which prioritize gives its best score, as kube-scheduler's own scores would have it.
 */
final class ExtenderPlacer implements Placer {
    private static final MemoryUnit UNIT = MemoryUnit.ofMib(1);

    private final Map<String, HostResources> capacity = new HashMap<>();
    private final Map<String, HostResources> free = new HashMap<>();
    private final Map<String, List<FreeCard>> cards = new HashMap<>();
    private final List<String> names = new ArrayList<>();
    private final Ledger ledger;
    private final NodeSelection selection;
    private final Binder binder;
    private int pods;

    /** @param salt changes the names of the nodes, and with them their fixed order */
    ExtenderPlacer(List<FreeNode> nodes, PolicyKind kind, long salt) {
        DemandCodec demands = new DemandCodec(ResourceNames.DEFAULT);
        ledger = new Ledger(demands, new Policies(kind), AnnotationObserver.none());
        PlacementOutcomes outcomes = new PlacementOutcomes(System::nanoTime);
        selection = new NodeSelection(ledger, outcomes, DecideIn.FILTER);
        binder = new Binder(ledger, new AcceptingApi(), outcomes, () -> Instant.EPOCH);
        for (FreeNode node : nodes) {
            String name = node.name() + "-" + salt;
            HostResources host = new HostResources(node.cpuMilli(), node.memoryMib());
            names.add(name);
            capacity.put(name, host);
            free.put(name, host);
            cards.put(name, node.cards());
            ledger.updateNode(
                    name, Map.of(AnnotationKeys.INVENTORY, InventoryCodec.encode(inventory(name, node))), host);
        }
    }

    private static Inventory inventory(String name, FreeNode node) {
        List<Card> cards = new ArrayList<>();
        for (FreeCard card : node.cards()) {
            cards.add(new Card(
                    new CardId(name + "-" + card.index()),
                    card.index(),
                    card.index(),
                    card.kind().model(),
                    Memory.ofMib(card.kind().units()),
                    null,
                    null,
                    null,
                    null,
                    new Health.Healthy()));
        }
        return new Inventory(UNIT, null, cards);
    }

    @Override
    public OptionalLong place(PodRequest pod) {
        HostResources requested = new HostResources(pod.cpuMilli(), pod.memoryMib());
        List<String> feasible =
                names.stream().filter(name -> fits(name, requested)).toList();
        return pod.gpu() ? byVerbs(pod, requested, feasible) : leastAllocated(requested, best(pod, feasible));
    }

    private boolean fits(String name, HostResources requested) {
        HostResources left = at(free, name).minus(requested);
        return left.cpuMilli() >= 0 && left.memoryMib() >= 0;
    }

    private OptionalLong byVerbs(PodRequest pod, HostResources requested, List<String> feasible) {
        String name = "pod-" + pods++;
        PodRef ref = new PodRef(name, "default", name);
        List<ContainerResources> containers = containers(pod);
        ledger.updatePod(new ClusterPod(ref, null, false, Map.of(), containers));
        List<String> named = selection
                .filter(new SchedulingPod(ref, Map.of(), containers), selection.named(feasible))
                .feasible(feasible);
        if (named.isEmpty()) {
            return OptionalLong.empty();
        }
        String node = named.getFirst();
        if (binder.bind(ref, node, Instant.EPOCH) instanceof BindResult.Failed(var why, String sentence)) {
            throw new IllegalStateException("filter named " + node + ", and bind refused it: " + sentence);
        }
        free.put(node, at(free, node).minus(requested));
        return OptionalLong.of(pod.units() + wholeUnits(ref, node));
    }

    private long wholeUnits(PodRef pod, String node) {
        return ledger.node(node).flatMap(view -> view.cards().allocationOf(pod.uid())).stream()
                .flatMap(allocation -> allocation.cards().stream()
                        .filter(card -> allocation.shareOn(card).wholeCards() > 0))
                .mapToLong(id -> at(cards, node).stream()
                        .filter(card -> id.uuid().equals(node + "-" + card.index()))
                        .mapToLong(card -> card.kind().units())
                        .sum())
                .sum();
    }

    private List<String> best(PodRequest pod, List<String> feasible) {
        int[] scores = selection.prioritize(
                new SchedulingPod(new PodRef("plain", "default", "plain"), Map.of(), containers(pod)),
                selection.named(feasible));
        return IntStream.range(0, scores.length)
                .filter(i -> scores[i] == NodeSelection.MAX_SCORE)
                .mapToObj(feasible::get)
                .toList();
    }

    private static List<ContainerResources> containers(PodRequest pod) {
        List<ContainerResources> containers = new ArrayList<>();
        Map<String, String> first = new HashMap<>();
        first.put("cpu", pod.cpuMilli() + "m");
        first.put("memory", pod.memoryMib() + "Mi");
        if (pod.units() > 0) {
            first.put(ResourceNames.DEFAULT.memory(), String.valueOf(pod.units()));
        }
        containers.add(new ContainerResources("first", ContainerRole.APP, first));
        if (pod.cards() > 0) {
            containers.add(new ContainerResources(
                    "second", ContainerRole.APP, Map.of(ResourceNames.DEFAULT.cards(), String.valueOf(pod.cards()))));
        }
        return containers;
    }

    /** Chooses as kube-scheduler's NodeResourcesLeastAllocated does: by the mean of what stays free of CPU and memory. */
    private OptionalLong leastAllocated(HostResources requested, List<String> feasible) {
        @Nullable String best = null;
        double most = -1;
        for (String name : feasible) {
            HostResources left = at(free, name).minus(requested);
            HostResources all = at(capacity, name);
            double part = (double) left.cpuMilli() / Math.max(1, all.cpuMilli())
                    + (double) left.memoryMib() / Math.max(1, all.memoryMib());
            if (part > most) {
                best = name;
                most = part;
            }
        }
        if (best == null) {
            return OptionalLong.empty();
        }
        String node = best;
        free.put(node, at(free, node).minus(requested));
        ledger.updatePod(new ClusterPod(
                new PodRef("plain-" + pods, "default", "plain-" + pods++),
                node,
                false,
                Map.of(),
                List.of(new ContainerResources(
                        "main",
                        ContainerRole.APP,
                        Map.of("cpu", requested.cpuMilli() + "m", "memory", requested.memoryMib() + "Mi")))));
        return OptionalLong.of(0);
    }

    private static <T> T at(Map<String, T> map, String node) {
        @Nullable T value = map.get(node);
        if (value == null) {
            throw new IllegalArgumentException("no node " + node);
        }
        return value;
    }

    /** An API server that accepts every Binding. */
    private static final class AcceptingApi implements PodApi {
        @Override
        public Optional<ClusterPod> pod(String namespace, String name) {
            return Optional.empty();
        }

        @Override
        public void bind(PodRef pod, String node, Map<String, String> annotations) {}
    }
}
