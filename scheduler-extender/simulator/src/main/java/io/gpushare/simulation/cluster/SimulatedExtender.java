package io.gpushare.simulation.cluster;

import io.gpushare.extender.capacity.FreeCard;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.AnnotationObserver;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.policy.PolicyKind;
import io.gpushare.extender.scheduling.BindResult;
import io.gpushare.extender.scheduling.Binder;
import io.gpushare.extender.scheduling.DecideIn;
import io.gpushare.extender.scheduling.NodeSelection;
import io.gpushare.extender.scheduling.PodApi;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.MigInstance;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.pod.PodState;
import io.gpushare.model.request.DemandCodec;
import io.gpushare.model.request.ResourceNames;
import io.gpushare.simulation.trace.MigProfile;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A cluster with the extender's ledger and verbs: the policy learns from the pods that arrive, filter chooses among the
 * nodes that have the CPU and memory, and bind allocates the cards. A pod without GPU goes to the least allocated of
 * the nodes to which prioritize gives its best score, as kube-scheduler's own scores would have it.
 */
public final class SimulatedExtender {
    private static final MemoryUnit UNIT = MemoryUnit.ofMib(1);

    private final List<String> names = new ArrayList<>();
    private final Map<String, Host> hosts = new HashMap<>();
    private final Map<String, Long> units = new HashMap<>();
    private final Map<String, String> models = new HashMap<>();
    private final Placer placer;
    private final Ledger ledger;
    private final NodeSelection selection;
    private final Binder binder;
    private int pods;

    /** What a node has, and what its pods have left of it. */
    private static final class Host {
        private final HostResources capacity;
        private HostResources free;

        Host(HostResources capacity) {
            this.capacity = capacity;
            this.free = capacity;
        }

        boolean fits(SimulatedPod pod) {
            return pod.request().cpuMilli() <= free.cpuMilli() && pod.request().memoryMib() <= free.memoryMib();
        }

        double freeAfter(HostResources requested) {
            HostResources left = free.minus(requested);
            return (double) left.cpuMilli() / Math.max(1, capacity.cpuMilli())
                    + (double) left.memoryMib() / Math.max(1, capacity.memoryMib());
        }
    }

    /**
     * A pod on its node.
     *
     * @param units memory units of its cards; a whole card or instance counts with its capacity
     */
    public record Placed(SimulatedPod pod, String node, long units) {}

    /**
     * An empty cluster.
     *
     * @param salt changes the names of the nodes, and with them their fixed order
     */
    public SimulatedExtender(List<FreeNode> nodes, PolicyKind kind, long salt) {
        placer = new Placer(
                new Ledger(new DemandCodec(ResourceNames.DEFAULT), AnnotationObserver.none()), new Policies(kind));
        ledger = placer.ledger();
        PlacementOutcomes outcomes = new PlacementOutcomes(() -> 0);
        selection = new NodeSelection(placer, outcomes, DecideIn.FILTER);
        binder = new Binder(placer, new AcceptingApi(), outcomes, () -> Instant.EPOCH);
        for (FreeNode node : nodes) {
            add(node.name() + "-" + salt, node);
        }
    }

    private void add(String name, FreeNode node) {
        HostResources host = new HostResources(node.cpuMilli(), node.memoryMib());
        List<Card> cards = new ArrayList<>();
        for (FreeCard card : node.cards()) {
            CardId physical = new CardId(names.size() + "-" + card.index());
            String title = card.kind().model();
            boolean instance = card.kind().instance();
            CardId id = instance ? new CardId("MIG-" + physical) : physical;
            Card.Details details = instance
                    ? new Card.Details(
                            null,
                            null,
                            null,
                            true,
                            new MigInstance(physical, MigProfile.profile(title), 0, 0, List.of()))
                    : Card.Details.UNKNOWN;
            // A file may name models that no card could have.
            String model =
                    models.computeIfAbsent(instance ? MigProfile.model(title) : title, any -> "model " + models.size());
            Memory memory = Memory.ofMib(card.kind().units());
            cards.add(new Card(id, card.index(), card.index(), model, memory, details));
            units.put(id.uuid(), (long) card.kind().units());
        }
        names.add(name);
        hosts.put(name, new Host(host));
        String inventory = InventoryCodec.encode(new Inventory(UNIT, null, cards));
        ledger.updateNode(name, Map.of(AnnotationKeys.INVENTORY, inventory), host);
    }

    /** A new pod is created; its policy learns from it. */
    public SimulatedPod arrived(PodRequest request) {
        SimulatedPod pod = SimulatedPod.of(pods++, request, models);
        if (request.gpu()) {
            ledger.updatePod(pod.on(null));
        }
        placer.reviewPolicy();
        return pod;
    }

    /** Schedules a pod that has arrived; empty if it fits no node now. */
    public Optional<Placed> schedule(SimulatedPod pod) {
        return schedule(pod, names);
    }

    /** Schedules a pod that has arrived on one of these nodes; empty if it fits none of them now. */
    public Optional<Placed> schedule(SimulatedPod pod, Collection<String> among) {
        List<String> feasible =
                among.stream().filter(name -> host(name).fits(pod)).toList();
        if (feasible.isEmpty()) {
            return Optional.empty();
        }
        Optional<Placed> placed = pod.request().gpu() ? byVerbs(pod, feasible) : leastAllocated(pod, feasible);
        placed.map(where -> host(where.node())).ifPresent(host -> host.free = host.free.minus(pod.host()));
        return placed;
    }

    /** A pod ends and frees what it had. */
    public void ended(Placed placed) {
        ledger.removePod(placed.pod().ref());
        Host host = host(placed.node());
        host.free = host.free.plus(placed.pod().host());
    }

    private Optional<Placed> byVerbs(SimulatedPod pod, List<String> feasible) {
        List<String> named =
                selection.filter(pod.scheduling(), selection.named(feasible)).feasible(feasible);
        if (named.isEmpty()) {
            return Optional.empty();
        }
        String node = named.getFirst();
        if (binder.bind(pod.ref(), node, Instant.EPOCH) instanceof BindResult.Failed(var _, String sentence)) {
            throw new IllegalStateException("filter named " + node + ", and bind refused it: " + sentence);
        }
        int shared = pod.request().share().instances() > 0 ? 0 : pod.request().units();
        return Optional.of(new Placed(pod, node, shared + wholeUnits(pod.ref(), node)));
    }

    private long wholeUnits(PodRef pod, String node) {
        return ledger.nodeEntry(node).cards().allocationOf(pod.uid()).stream()
                .flatMap(allocation -> allocation.cards().stream()
                        .filter(card -> allocation.shareOn(card).takenWhole() > 0))
                .mapToLong(card -> units.getOrDefault(card.uuid(), 0L))
                .sum();
    }

    /**
     * Chooses as kube-scheduler's NodeResourcesLeastAllocated does: by the mean of what stays free of CPU and memory.
     */
    private Optional<Placed> leastAllocated(SimulatedPod pod, List<String> feasible) {
        int[] scores = selection.prioritize(pod.scheduling(), selection.named(feasible));
        @Nullable String best = null;
        double most = -1;
        for (int i = 0; i < scores.length; i++) {
            double part = host(feasible.get(i)).freeAfter(pod.host());
            if (scores[i] == NodeSelection.MAX_SCORE && part > most) {
                best = feasible.get(i);
                most = part;
            }
        }
        if (best == null) {
            return Optional.empty();
        }
        ledger.updatePod(pod.on(best));
        return Optional.of(new Placed(pod, best, 0));
    }

    private Host host(String node) {
        @Nullable Host host = hosts.get(node);
        if (host == null) {
            throw new IllegalArgumentException("no node " + node);
        }
        return host;
    }

    /** An API server that accepts every Binding. */
    private static final class AcceptingApi implements PodApi {
        @Override
        public Optional<PodState> pod(String namespace, String name) {
            return Optional.empty();
        }

        @Override
        public void bind(PodRef pod, String node, Map<String, String> annotations) {}
    }
}
