package io.gpushare.simulation.cluster;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.AnnotationObserver;
import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.extender.policy.Policies;
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
import io.gpushare.model.card.MigInstance;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.pod.PodState;
import io.gpushare.model.request.DemandCodec;
import io.gpushare.model.request.ResourceNames;
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
    public SimulatedExtender(List<KnownNode> nodes, PolicyKind kind, long salt) {
        placer = new Placer(
                new Ledger(new DemandCodec(ResourceNames.DEFAULT), AnnotationObserver.none()), new Policies(kind));
        ledger = placer.ledger();
        PlacementOutcomes outcomes = new PlacementOutcomes(() -> 0);
        selection = new NodeSelection(placer, outcomes, DecideIn.FILTER);
        binder = new Binder(placer, new AcceptingApi(), outcomes, () -> Instant.EPOCH);
        for (KnownNode node : nodes) {
            add(node.name() + "-" + salt, node.entry());
        }
    }

    private void add(String name, NodeEntry node) {
        List<Card> cards = new ArrayList<>();
        for (CardState state : node.cards().open().cards()) {
            cards.add(card(state));
            units.put(cards.getLast().id().uuid(), (long) state.kind().units());
        }
        HostResources host = node.free();
        String inventory =
                InventoryCodec.encode(new Inventory(node.cards().inventory().unit(), null, cards));
        names.add(name);
        hosts.put(name, new Host(host));
        ledger.updateNode(name, Map.of(AnnotationKeys.INVENTORY, inventory), host);
    }

    /** The card with an id of its own; a file may name models that no card could have. */
    private Card card(CardState state) {
        Card card = state.card();
        CardId physical = new CardId(names.size() + "-" + card.index());
        @Nullable MigInstance instance = card.details().instance();
        String model = models.computeIfAbsent(card.model(), any -> "model " + models.size());
        return new Card(
                instance == null ? physical : new CardId("MIG-" + physical),
                card.index(),
                card.index(),
                model,
                card.memory(),
                instance == null
                        ? Card.Details.UNKNOWN
                        : new Card.Details(
                                null,
                                null,
                                null,
                                true,
                                new MigInstance(physical, instance.profile(), 0, 0, List.of())));
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
        List<String> named = selection.filter(pod.scheduling(), feasible).feasible();
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
        int[] scores = selection.prioritize(pod.scheduling(), feasible);
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
