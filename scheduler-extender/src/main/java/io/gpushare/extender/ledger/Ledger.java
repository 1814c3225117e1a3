package io.gpushare.extender.ledger;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.pod.ClusterPod;
import io.gpushare.extender.pod.Nominations;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.PodDemandDecoder;
import io.gpushare.extender.pod.PodPriority;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.pod.WaitingPod;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.policy.PolicyKind;
import io.gpushare.extender.policy.scoring.Scoring;
import io.gpushare.model.Allocation;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.DemandCodec;
import io.gpushare.model.codec.HoldCodec;
import io.gpushare.model.ledger.NodeCards;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
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
    private final NodeTable nodes = new NodeTable();
    private final PodTable pods = new PodTable(nodes);
    private final UnscheduledPods unscheduled = new UnscheduledPods();
    private final Policies policies;
    private final AnnotationObserver observer;
    private final AtomicLong rejected = new AtomicLong();
    // A hold, and the pod that its cards wait for, change together.
    private final Object holdLock = new Object();

    /**
     * An empty ledger.
     *
     * @param policies choose among cards that fit; notified of new pods and of the cluster's cards
     * @param observer notified of rejected annotations
     */
    public Ledger(DemandCodec demands, Policies policies, AnnotationObserver observer) {
        this.demands = demands;
        this.decoder = new PodDemandDecoder(demands, selector -> nodes.kinds().models(selector));
        this.policies = policies;
        this.observer = observer;
    }

    /**
     * A node of the ledger, for users.
     *
     * @param address its address in the cluster's network; null if unknown
     * @param metrics host and port of its device plugin's metrics; null if none runs
     * @param unusable why it can take no new pod; null if it can
     */
    public record NodeView(
            String name,
            @Nullable String address,
            @Nullable String metrics,
            @Nullable Reason unusable,
            NodeCards cards) {}

    /** A node was added or changed. Called from one thread, in order. */
    public void updateNode(String name, Map<String, String> annotations, HostResources allocatable) {
        if (nodes.update(name, annotations, allocatable)) {
            pods.inventoryChanged(name);
        }
        hold(name, HoldCodec.decode(annotations));
    }

    private void hold(String name, HoldCodec now) {
        synchronized (holdLock) {
            HoldCodec before = nodes.hold(name);
            if (!now.written().equals(before.written())) {
                // Before the cards are open, or another pod could get them.
                pods.promise(name, before, now);
                nodes.hold(name, now);
                pods.withdraw(name, before, now);
            }
        }
    }

    /** The holds of cards by node, also those that have ended and whose annotation is still there. */
    public Map<String, HoldCodec> holds() {
        return nodes.holds();
    }

    /** The hold with that annotation ends. Ignored if the annotation has changed. */
    public void endHold(String name, HoldCodec hold) {
        synchronized (holdLock) {
            HoldCodec before = nodes.hold(name);
            if (before.active() && before.written().equals(hold.written())) {
                nodes.hold(name, before.ended());
                pods.withdraw(name, before, before.ended());
            }
        }
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
        nodes.allocatable(name, demands.allocatable(devices));
    }

    /** The device plugins of exactly these nodes do not renew their Leases: they are not offered to new pods. */
    public void updateStale(Set<String> nodesByName) {
        nodes.stale(nodesByName);
    }

    /** A node was deleted. The holdings of its pods are kept until the pods are deleted too. */
    public void removeNode(String name) {
        hold(name, HoldCodec.NONE);
        nodes.remove(name);
    }

    /** A pod was added or changed. Called from one thread, in order. */
    public void updatePod(ClusterPod pod) {
        PodRef ref = pod.ref();
        pods.replaced(ref).ifPresent(uid -> remove(ref, uid));
        if (pod.ended()) {
            remove(ref, ref.uid());
            return;
        }
        pods.countHostRequests(pod);
        PodDemand demand = demand(pod);
        pods.nominated(pod, demand);
        if (!(demand instanceof PodDemand.NoGpu)) {
            pods.listed(ref);
        }
        if (demand instanceof PodDemand.Valid valid) {
            PodTable.Update update = pods.update(pod, valid);
            if (update.added()) {
                policies.arrived(valid.request());
            }
            if (update.rejection() != null) {
                rejected.incrementAndGet();
                observer.rejected(ref, String.valueOf(pod.node()), update.rejection());
            }
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

    /** Decodes what a pod requests. */
    public PodDemand demand(ClusterPod pod) {
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
    public boolean knows(ClusterPod pod) {
        @Nullable String node = pod.node();
        return node == null
                || pod.ended()
                || !(demand(pod) instanceof PodDemand.Valid)
                || podEntry(pod.ref().uid())
                        .filter(entry -> node.equals(entry.node()))
                        .isPresent();
    }

    /** Reserves cards for the pod on the node, in one atomic step. Reservations with an unknown outcome are kept. */
    public Assumption assume(PodRef pod, PodDemand.Valid demand, String node, Instant now) {
        return pods.assume(pod, demand, scoring(demand.policy()), node, now);
    }

    /** The API server has confirmed the assumption, which makes every other assumption for the pod void. */
    public void confirm(PodRef pod, Holding assumed, Instant now) {
        confirmAsWritten(pod, assumed, assumed.node(), assumed.allocation(), now);
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

    /** The scoring of that policy, or of the default policy for null, for the cluster as it is now. */
    public Scoring scoring(@Nullable PolicyKind kind) {
        nodes.changedCapacity().ifPresent(policies::cluster);
        return policies.scoring(kind);
    }

    /**
     * Lets the adaptive policy review what it decides by, if that is due; not on the path of a request.
     *
     * @return the policy that decides from now on, if it is another one than before
     */
    public Optional<PolicyKind> reviewPolicy() {
        return policies.review(() -> nodes.entries().values().stream()
                .map(NodeEntry::offeredFree)
                .filter(node -> !node.cards().isEmpty())
                .toList());
    }

    /** What decides for pods that name that policy, or none for null, in words for users. */
    public String policy(@Nullable PolicyKind kind) {
        return policies.describe(kind);
    }

    /** The nodes by name and index. */
    public NodeDirectory directory() {
        return nodes.columns();
    }

    public NodeEntry nodeEntry(String name) {
        return nodes.entry(name);
    }

    /**
     * The node as that pod may use it: without the pod's own holding, and with the demands of the pods that
     * kube-scheduler has nominated to the node and that have the same or a higher priority.
     */
    public NodeEntry nodeEntryFor(String podUid, int priority, String name) {
        return pods.available(name, nodes.entry(name), podUid, priority);
    }

    /** The nodes whose {@link #nodeEntryFor} that pod differs from {@link #nodeEntry}, by name. */
    public Map<String, NodeEntry> nodesApart(String podUid, int priority) {
        Map<String, NodeEntry> apart = new HashMap<>();
        pods.nodesApart(podUid, priority).forEach(name -> apart.put(name, nodeEntryFor(podUid, priority, name)));
        return apart;
    }

    /** A copy of all nodes by name. */
    public Map<String, NodeEntry> nodeEntries() {
        return nodes.entries();
    }

    /** What the node's kubelet offers to all its pods together. */
    public Share allocatable(String node) {
        return nodes.allocatable(node);
    }

    /** All nodes with an inventory, a pod or an API object, by name. */
    public List<NodeView> nodes() {
        return nodes.views();
    }

    public Optional<NodeView> node(String name) {
        return nodes.view(name);
    }

    public Optional<PodEntry> podEntry(String podUid) {
        return pods.entry(podUid);
    }

    /** The pods with a valid demand for which kube-scheduler found no node and nothing is assumed. */
    public List<PodEntry> waiting() {
        return unscheduled.valid().stream()
                .flatMap(uid -> pods.entry(uid).stream())
                .filter(entry -> entry.holdings().isEmpty())
                .toList();
    }

    /**
     * Holds cards of that node for the waiting pod, against pods of the same or a lower priority, until it is released,
     * bound or gone. Placements that come after this call respect it; those that came before are in the ledger.
     *
     * @param victims the uids of the pods that this extender evicts for it
     */
    public void holdCards(PodEntry pod, String node, Set<String> victims) {
        pods.hold(pod, node, victims);
    }

    /** Ends {@link #holdCards}. If the API server shows the cards as held, they stay so until it does not any more. */
    public void releaseCards(PodRef pod) {
        pods.nominations().release(pod.uid());
    }

    /** Ends all of {@link #holdCards}: another extender leads. */
    public void releaseAllCards() {
        pods.nominations().releaseAll();
    }

    /** The pods for which this extender, or one that led before, holds cards. */
    public List<Nominations.Nominated> held() {
        return pods.nominations().held();
    }

    /** Whether the pod is nominated to a node and will fit there once the terminating pods are gone. */
    public boolean awaitsCards(PodRef pod) {
        return pods.awaitsCards(pod);
    }

    /** The pods of that controller, which has the uid, with cards or waiting for some. */
    public List<PodEntry> controlledBy(String uid) {
        return pods.entries().stream()
                .filter(entry ->
                        entry.controller() != null && entry.controller().uid().equals(uid))
                .toList();
    }

    /** The number of pods with an invalid demand for which kube-scheduler found no node. */
    public int invalidWaiting() {
        return unscheduled.invalid().size();
    }

    /** All pods for which kube-scheduler found no node, highest priority first. */
    public List<WaitingPod> waitingPods() {
        List<WaitingPod> all = new ArrayList<>(unscheduled.invalid());
        waiting().forEach(entry -> all.add(new WaitingPod(entry.ref(), entry.priority(), entry.podDemand())));
        all.sort(Comparator.comparing(WaitingPod::priority, PodPriority.HIGHEST_FIRST)
                .thenComparing(pod -> pod.ref().toString()));
        return all;
    }

    /** The pods with holdings that nothing has confirmed since before that moment. */
    public List<PodEntry> unconfirmedSince(Instant before) {
        return pods.entries().stream()
                .filter(entry -> !entry.unconfirmedSince(before).isEmpty())
                .toList();
    }

    /** The ledger in numbers. */
    public LedgerStats stats() {
        return LedgerStats.of(nodes.entries(), pods.entries(), policies.fragmentation());
    }

    /** The number of pods whose annotation was rejected, or contradicts other pods. */
    public long rejectedAnnotations() {
        return rejected.get();
    }

    /** The memory units of bound pods without a valid allocation, by node. */
    public Map<String, Long> unattributedUnits() {
        Map<String, Long> units = new HashMap<>();
        for (PodEntry entry : pods.entries()) {
            @Nullable String node = entry.node();
            if (node != null && entry.unattributed()) {
                units.merge(node, (long) entry.demand().total().units(), Long::sum);
            }
        }
        return units;
    }
}
