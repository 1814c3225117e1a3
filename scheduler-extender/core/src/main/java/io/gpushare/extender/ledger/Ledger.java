package io.gpushare.extender.ledger;

import io.gpushare.extender.ledger.Reservation.Source;
import io.gpushare.extender.pod.AnnotationObserver;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.PodDemandDecoder;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.model.Allocation;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.ReservationCodec;
import io.gpushare.model.ledger.Placement;
import io.gpushare.model.node.NodeFacts;
import io.gpushare.model.pod.PodState;
import io.gpushare.model.request.DemandCodec;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is allocated on each card of each node: a copy of the API's state, plus what is assumed. The one mutable object
 * that the verbs share.
 *
 * <p>Its tables hold immutable values. A change of a pod is one atomic step on its entry and, inside that step, one
 * atomic step on the entry of each node that it touches. The order is always pod, then node, so two changes cannot
 * deadlock, and no step does I/O. Readers see a node before or after a change, never in between.
 */
public final class Ledger {
    private final DemandCodec demands;
    private final PodDemandDecoder decoder;
    private final Reservations reservations = new Reservations();
    private final NodeTable nodes;
    private final PodTable pods;
    private final UnscheduledPods unscheduled = new UnscheduledPods();
    private volatile LedgerListener listener = LedgerListener.NONE;
    private final AnnotationObserver observer;
    private final AtomicLong rejected = new AtomicLong();

    /**
     * An empty ledger.
     *
     * @param observer notified of rejected annotations
     */
    public Ledger(DemandCodec demands, AnnotationObserver observer) {
        this.demands = demands;
        this.nodes = new NodeTable(reservations, demands);
        this.pods = new PodTable(nodes, reservations);
        this.decoder = new PodDemandDecoder(demands, selector -> nodes.kinds().models(selector));
        this.observer = observer;
    }

    /** Notifies that listener of all changes from now on: before the first change, so that it misses none. */
    public void follow(LedgerListener follower) {
        listener = follower;
        nodes.follow(follower);
    }

    /** The cluster as it is now, for those who only read: a copy of all nodes and pods. */
    public ClusterState state() {
        return new ClusterState(
                nodes, pods, unscheduled, reservations, new PodDemandDecoder(demands, nodes.kinds()::models));
    }

    /** One node of {@link #state}, without a copy of the others. */
    public Optional<ClusterState.NodeView> nodeView(String name) {
        return nodes.view(name);
    }

    /** The number of pods whose annotation was rejected, or contradicts other pods. */
    public long rejectedAnnotations() {
        return rejected.get();
    }

    /** A node was added or changed. Called from one thread, in order. */
    public void updateNode(String name, Map<String, String> annotations, HostResources allocatable) {
        if (nodes.update(name, annotations, allocatable)) {
            pods.inventoryChanged(name);
        }
        nodes.reserve(name, ReservationCodec.decode(annotations));
    }

    /** What pods may require of a node, apart from resources: after {@link #updateNode}. */
    public void updateFacts(NodeFacts facts) {
        nodes.facts(facts.name(), facts);
    }

    /** The node has that address; null if it reports none. */
    public void updateAddress(String name, @Nullable String address) {
        nodes.address(name, address);
    }

    /** That pod, the node's device plugin, serves metrics there; null if it does not any more. */
    public void updatePluginMetrics(String node, PodRef plugin, @Nullable String metrics) {
        nodes.pluginMetrics(node, plugin, metrics);
    }

    /** The node's kubelet offers these quantities of extended resources. */
    public void updateAllocatable(String name, Map<String, String> devices) {
        nodes.allocatable(name, demands.allocatable(devices), demands.zeros(devices));
    }

    /** The nodes whose kubelets reject the pod because it requests 0 of a resource of which they have no device. */
    public Set<String> rejecting(SchedulingPod pod) {
        return nodes.exhausted().nodes(demands.zeros(pod.containers()));
    }

    /** The device plugins of exactly these nodes do not renew their Leases: they are not offered to new pods. */
    public void updateStale(Set<String> nodesByName) {
        nodes.stale(nodesByName);
    }

    /** The cards of nodes that serve claims have exactly these taints, until the next call. */
    public void updateTaints(CardTaints taints) {
        nodes.taint(taints);
    }

    /** A node was deleted. The holdings of its pods are kept until the pods are deleted too. */
    public void removeNode(String name) {
        nodes.reserve(name, ReservationCodec.decode(Map.of()));
        nodes.remove(name);
    }

    /** A pod was added or changed. Called from one thread, in order. */
    public void updatePod(PodState pod) {
        PodRef ref = pod.ref();
        pods.replaced(ref).ifPresent(uid -> remove(ref, uid));
        if (pod.ended()) {
            remove(ref, ref.uid());
            return;
        }
        pods.countHostRequests(pod);
        PodDemand demand = demand(pod);
        pods.showReservations(pod, demand);
        if (!(demand instanceof PodDemand.NoGpu)) {
            pods.listed(ref);
        }
        if (demand instanceof PodDemand.Valid valid) {
            PodTable.Update update = pods.update(pod, valid);
            if (update.added() && !valid.foreign()) {
                listener.podArrived(valid);
            }
            if (update.rejection() != null) {
                rejected.incrementAndGet();
                observer.rejected(ref, String.valueOf(pod.node()), update.rejection());
            }
        } else {
            pods.withoutDemand(ref.uid());
        }
        unscheduled.update(pod, demand);
    }

    /** A pod was deleted. */
    public void removePod(PodRef ref) {
        remove(ref, ref.uid());
    }

    private void remove(PodRef name, String uid) {
        unscheduled.remove(uid);
        pods.remove(name, uid);
    }

    /** Whether the pod is bound and has cards by what is written on it: its claims are counted apart. */
    public boolean annotated(PodState pod) {
        return pod.node() != null
                && demand(pod) instanceof PodDemand.Valid valid
                && pods.annotated(pod, pod.node(), valid);
    }

    /** Decodes what a pod requests. */
    public PodDemand demand(PodState pod) {
        return decoder.decode(pod);
    }

    /** Decodes what a pod requests. */
    public PodDemand demand(SchedulingPod pod) {
        return decoder.decode(pod);
    }

    /**
     * Whether the ledger is as new as that pod, which was just read from the API server: bound to its node, if it has
     * cards.
     */
    public boolean knows(PodState pod) {
        @Nullable String node = pod.node();
        return node == null
                || pod.ended()
                || !(demand(pod) instanceof PodDemand.Valid)
                || podEntry(pod.ref().uid())
                        .filter(entry -> node.equals(entry.node()))
                        .isPresent();
    }

    /**
     * Reserves cards for the pod on the node, in one atomic step. Reservations with an unknown outcome are kept.
     *
     * @param choice chooses among the cards of the node as the pod may use it
     */
    public Assumption assume(
            PodRef pod, PodDemand.Valid demand, String node, Function<NodeEntry, Placement> choice, Instant now) {
        return pods.assume(pod, demand, choice, node, now);
    }

    /**
     * Reserves cards on that node for the pod until then, in one atomic step, in place of what filter reserved for it
     * before. If none fit any more, nothing is reserved. It counts as long as the API server's watch shows the pod.
     *
     * @param choice chooses among the cards of the node as the pod may use it
     */
    public void promise(SchedulingPod pod, String node, Function<NodeEntry, Placement> choice, Instant until) {
        pods.promise(pod, choice, node, until);
    }

    /** The API server has confirmed the assumption, which makes every other assumption for the pod void. */
    public void confirm(PodRef pod, Holding assumed, Instant now) {
        confirmAsWritten(pod, assumed, assumed.node(), assumed.allocation(), now);
        podEntry(pod.uid()).ifPresent(entry -> entry.podDemand().notes().forEach(note -> observer.noted(pod, note)));
    }

    /**
     * The API server shows the pod bound with that allocation, after a Binding with an unknown outcome. Ignored if the
     * informer has meanwhile shown the pod's state.
     */
    public void confirmAsWritten(PodRef pod, Holding unknown, String node, Allocation written, Instant now) {
        pods.confirm(pod, unknown, new Holding(node, written, Holding.Standing.BOUND, now));
    }

    /** The Binding got no response: the assumption may still come true. */
    public void markUnknown(PodRef pod, Holding assumed) {
        pods.markUnknown(pod, assumed);
    }

    /** The holding did not come true, or ended. Ignored if the pod's state has changed meanwhile. */
    public void forget(PodRef pod, Holding holding) {
        pods.forget(pod, holding);
    }

    public NodeEntry nodeEntry(String name) {
        return nodes.entry(name);
    }

    /**
     * The node as that pod may use it: without the pod's own holding, and with the demands of the pods that
     * kube-scheduler has nominated to the node and that have the same or a higher priority.
     */
    public NodeEntry nodeEntryFor(String podUid, int priority, String name) {
        return pods.reserved().available(name, nodes.entry(name), podUid, priority);
    }

    /** The nodes whose {@link #nodeEntryFor} that pod differs from {@link #nodeEntry}, by name. */
    public Map<String, NodeEntry> nodesApart(String podUid, int priority) {
        return pods.reserved().nodesApart(podUid, priority);
    }

    /** A copy of all nodes by name. */
    public Map<String, NodeEntry> nodeEntries() {
        return nodes.entries();
    }

    /** Whether the API shows a node with that name, or a pod is on it. */
    public boolean knowsNode(String name) {
        return nodes.known(name);
    }

    /** What the node's kubelet offers to all its pods together. */
    public Share allocatable(String node) {
        return nodes.allocatable(node);
    }

    public Optional<PodEntry> podEntry(String podUid) {
        return pods.entry(podUid);
    }

    /** The pods with a valid demand for which kube-scheduler found no node and nothing is assumed. */
    public List<PodEntry> waiting() {
        return waiting(false);
    }

    /** The same of pods to which others give their cards: nobody but these can do something for them. */
    public List<PodEntry> waitingForOthers() {
        return waiting(true);
    }

    private List<PodEntry> waiting(boolean foreign) {
        return unscheduled.valid().stream()
                .flatMap(uid -> pods.entry(uid).stream())
                .filter(entry -> entry.holdings().isEmpty() && entry.ofOthers() == foreign)
                .toList();
    }

    /**
     * Keeps what is reserved from pods of the same or a lower priority: from all placements that come after this call.
     */
    public void reserve(Reservation made) {
        nodes.change(made.node(), entry -> {
            reservations.put(made);
            return entry;
        });
    }

    /**
     * Ends what this process reserved. What the API server shows as reserved stays so until it does not any more, with
     * a new limit.
     */
    public void endReservation(Reservation reserved) {
        switch (reserved.source()) {
            case DEFRAGMENTATION -> nodes.endReservation(reserved);
            case EVICTION, FILTER -> reservations.end(reserved.pod(), reserved.source());
            case STATUS -> reservations.renew(reserved);
            case NOMINATION -> {}
        }
    }

    /** Ends all that this process reserved: another extender leads. */
    public void endReservations() {
        reservations.endAll(Source.EVICTION);
        reservations.endAll(Source.FILTER);
    }

    /** Ends what filter reserved for the pod. */
    public void endFilterReservation(String podUid) {
        reservations.end(podUid, Source.FILTER);
    }

    /** The reservations from sources like that: one for each pod, from its strongest source, and one for each node. */
    public List<Reservation> reservations(Predicate<Source> which) {
        return Stream.concat(
                        reservations.ofPods().filter(each -> each.source() != Source.DEFRAGMENTATION),
                        reservations.ofNodes().stream())
                .filter(each -> which.test(each.source()))
                .toList();
    }

    /** The reservations whose time is over, by the clock of their limits. */
    public List<Reservation> overReservations(Instant now) {
        return reservations.over(now);
    }

    /** Whether kube-scheduler nominates the pod to that node, by the pod's status. */
    public boolean nominated(String podUid, String node) {
        return reservations.nominated(podUid, node);
    }

    /** Whether the pod is nominated to a node and will fit there once the terminating pods are gone. */
    public boolean awaitsCards(PodRef pod) {
        return pods.reserved().awaitsCards(pod);
    }

    /** The number of pods with an invalid demand for which kube-scheduler found no node. */
    public int invalidWaiting() {
        return unscheduled.invalid().size();
    }

    /** The number of pods with a valid demand that scheduling gates hold. */
    public int gated() {
        return unscheduled.gated();
    }

    /** The pods with holdings that nothing has confirmed since before that moment. */
    public List<PodEntry> unconfirmedSince(Instant before) {
        return pods.entries().stream()
                .filter(entry -> !entry.unconfirmedSince(before).isEmpty())
                .toList();
    }
}
