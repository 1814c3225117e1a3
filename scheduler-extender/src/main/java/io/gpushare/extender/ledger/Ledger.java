package io.gpushare.extender.ledger;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.Holding.Standing;
import io.gpushare.extender.pod.AllocationAnnotation;
import io.gpushare.extender.pod.ClusterPod;
import io.gpushare.extender.pod.PodPriority;
import io.gpushare.extender.pod.PodSpecSummary;
import io.gpushare.extender.pod.WaitingPod;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.policy.PolicyKind;
import io.gpushare.extender.policy.scoring.Scoring;
import io.gpushare.model.Allocation;
import io.gpushare.model.Demand;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.Share;
import io.gpushare.model.codec.ContainerResources;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.codec.DemandCodec;
import io.gpushare.model.codec.HostResourcesCodec;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Placement;
import io.gpushare.model.selector.CardSelector;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What is allocated on each card of each node: a copy of what the API says, plus what is assumed. The one mutable object
 * that the verbs share.
 *
 * <p>Its maps hold immutable values. Every change of a pod is one atomic step on its entry, and inside it one atomic step
 * on each node's entry that it touches; the order is always pod, then node, so two changes can't wait for each other, and
 * no step does I/O. Readers see a node either before or after a change, never between.
 */
public final class Ledger {
    private final DemandCodec demands;
    private final NodeTable nodes = new NodeTable();
    private final Map<String, Share> offers = new ConcurrentHashMap<>();
    private final Map<String, PodEntry> pods = new ConcurrentHashMap<>();
    // The uids of the pods for which kube-scheduler found no node.
    private final Set<String> refused = ConcurrentHashMap.newKeySet();
    // Those of them that can't be placed because of what is written on them, by uid.
    private final Map<String, WaitingPod> wrong = new ConcurrentHashMap<>();
    // The uid that the informer last showed under "namespace/name": a pod made anew under an old name, whose old uid's
    // end was missed in a gap of the watch, must not leave the old one's cards taken for ever.
    private final Map<String, String> listedUids = new ConcurrentHashMap<>();

    private final HostRequests loads = new HostRequests(nodes);
    private final Policies policies;
    private final AnnotationObserver witness;
    private final AtomicLong disbelieved = new AtomicLong();

    /**
     * An empty one.
     *
     * @param policies choose among cards that would all do; told of each new pod and of the cluster's cards
     * @param witness told of annotations that are not believed
     */
    public Ledger(DemandCodec demands, Policies policies, AnnotationObserver witness) {
        this.demands = demands;
        this.policies = policies;
        this.witness = witness;
    }

    /**
     * A node of the ledger, for people.
     *
     * @param address where it is in the cluster's network; null where it tells none
     * @param metrics host and port where its device plugin tells what is used; null where none runs
     * @param unusable null when its inventory is known
     */
    public record NodeView(
            String name,
            @Nullable String address,
            @Nullable String metrics,
            @Nullable Reason unusable,
            NodeCards cards) {}

    /** A node is there, or changed. Nodes are told from one thread, in order. */
    public void nodeSeen(String name, Map<String, String> annotations, HostResources allocatable) {
        nodes.seen(name, annotations, allocatable);
    }

    /** Where that node is; null where it does not tell. */
    public void nodeAt(String name, @Nullable String address) {
        nodes.at(name, address);
    }

    /** Where that pod, the node's device plugin, tells what is used; null when it does not any more. */
    public void pluginAt(String node, PodRef plugin, @Nullable String metrics) {
        nodes.pluginAt(node, plugin, metrics);
    }

    /** What that node's kubelet offers: quantities by extended resource. */
    public void nodeOffers(String name, Map<String, String> devices) {
        offers.put(name, demands.allocatable(devices));
    }

    /** A node is gone. What pods hold there is kept until they are gone too. */
    public void nodeGone(String name) {
        offers.remove(name);
        nodes.gone(name);
    }

    /** A pod is there, or changed. Pods are told from one thread, in order. */
    public void podSeen(ClusterPod pod) {
        PodRef ref = pod.ref();
        @Nullable String replaced = listedUids.get(ref.toString());
        if (replaced != null && !replaced.equals(ref.uid())) {
            release(ref, replaced);
        }
        if (pod.ended()) {
            release(ref, ref.uid());
            return;
        }
        if (pod.node() != null) {
            loads.at(ref, pod.node(), HostResourcesCodec.requested(pod.containers()));
        }
        note(pod);
        pod.demand(demands).valid().ifPresent(demand -> {
            listedUids.put(ref.toString(), ref.uid());
            PodSpecSummary wanted = wanted(demand, pod.containers(), pod.annotations());
            AllocationAnnotation writing = AllocationAnnotation.of(pod, demand);
            boolean[] complained = {false};
            boolean[] fresh = {false};
            PodEntry now = pods.compute(ref.uid(), (uid, old) -> {
                complained[0] = old != null && old.complaint() != null;
                fresh[0] = old == null || !old.listed();
                return seen(pod, wanted, writing, old);
            });
            if (fresh[0]) {
                policies.arrived(wanted.request());
            }
            if (pod.refused() && pod.node() == null && !pod.rank().leaving()) {
                refused.add(ref.uid());
            } else {
                refused.remove(ref.uid());
            }
            if (now != null && now.complaint() != null && !complained[0]) {
                disbelieved.incrementAndGet();
                witness.disbelieved(ref, String.valueOf(pod.node()), now.complaint());
            }
        });
    }

    /** Remembers a pod whose own words keep it waiting: no node will ever be found for it. */
    private void note(ClusterPod pod) {
        Optional<String> fault =
                !pod.refused() || pod.node() != null || pod.rank().leaving()
                        ? Optional.empty()
                        : switch (pod.demand(demands)) {
                            case Decoded.Absent<Demand>() -> Optional.empty();
                            case Decoded.Malformed<Demand>(String sentence) -> Optional.of(sentence);
                            case Decoded.Valid<Demand>(Demand demand) -> PodSpecSummary.fault(pod.annotations());
                        };
        if (fault.isPresent()) {
            wrong.put(pod.ref().uid(), new WaitingPod(pod.ref(), pod.rank(), null, fault.get()));
        } else {
            wrong.remove(pod.ref().uid());
        }
    }

    /** Whether that pod, as somebody just read it, is here no older than it is there: bound to its node, if it holds cards. */
    public boolean knows(ClusterPod pod) {
        @Nullable String node = pod.node();
        @Nullable PodEntry entry = pods.get(pod.ref().uid());
        return node == null
                || pod.ended()
                || pod.demand(demands).valid().isEmpty()
                || (entry != null && node.equals(entry.node()));
    }

    /** A pod is gone. */
    public void podGone(PodRef ref) {
        release(ref, ref.uid());
    }

    private void release(PodRef name, String uid) {
        loads.gone(name, uid);
        listedUids.remove(name.toString(), uid);
        refused.remove(uid);
        wrong.remove(uid);
        pods.computeIfPresent(uid, (key, old) -> {
            move(old.ref(), old.holds(), List.of());
            return null;
        });
    }

    private PodEntry seen(ClusterPod pod, PodSpecSummary wanted, AllocationAnnotation writing, @Nullable PodEntry old) {
        List<Holding> held = old == null ? List.of() : old.holds();
        @Nullable String node = pod.node();
        List<Holding> now;
        if (node == null) {
            now = held;
        } else if (writing.allocation() != null) {
            now = List.of(new Holding(node, writing.allocation(), Standing.SEEN, Instant.EPOCH));
        } else {
            // What was once true stays, whatever became of the annotation. What was only assumed is not: somebody else
            // bound the pod, since node and annotation of our Binding come together.
            now = held.stream()
                    .filter(hold -> !hold.assumed() && hold.node().equals(node))
                    .toList();
        }
        move(pod.ref(), held, now);
        @Nullable String complaint = writing.complaint();
        if (complaint == null && !now.isEmpty() && node != null) {
            boolean unchanged = held.stream().anyMatch(now.getFirst()::sameCards);
            complaint = unchanged && old != null
                    ? old.complaint()
                    : nodes.entry(node).contradiction(now.getFirst().allocation());
        }
        return new PodEntry(pod.ref(), wanted, pod.rank(), pod.refused(), true, node, now, complaint);
    }

    /** Reserves cards for that pod on that node, in one atomic step; nothing that an unanswered Binding holds is freed. */
    public Assumption assume(PodRef pod, PodSpecSummary wanted, String node, Instant now) {
        Scoring scoring = scoring(wanted.policy());
        Assumption[] result = new Assumption[1];
        pods.compute(pod.uid(), (uid, old) -> {
            PodEntry entry = old == null ? PodEntry.unlisted(pod, wanted) : old;
            result[0] = entry.bound()
                    .<Assumption>map(Assumption.Bound::new)
                    .orElseGet(() -> reserve(entry, scoring, node, now));
            if (result[0] instanceof Assumption.Assumed(Holding hold, var inventory)) {
                loads.at(pod, node, entry.wanted().compute());
                return entry.assuming(hold);
            }
            return old;
        });
        return result[0];
    }

    /** What a pod with that demand, these containers and annotations wants, in this cluster. */
    public PodSpecSummary wanted(Demand demand, List<ContainerResources> containers, Map<String, String> annotations) {
        CardSelector selector = demand.selector();
        return PodSpecSummary.of(
                demand,
                containers,
                annotations,
                selector.any() ? Set.of() : nodes.kinds().models(selector));
    }

    /** What that policy thinks of the cluster as it is; the usual one for null. */
    public Scoring scoring(@Nullable PolicyKind kind) {
        nodes.changedCapacity().ifPresent(policies::cluster);
        return policies.scoring(kind);
    }

    private Assumption reserve(PodEntry pod, Scoring scoring, String node, Instant now) {
        Assumption[] result = new Assumption[1];
        nodes.change(node, entry -> {
            if (entry.unusable() != null) {
                result[0] = new Assumption.Refused(entry.unusable());
                return entry;
            }
            Optional<Holding> held = pod.on(node);
            Standing standing = held.map(Holding::standing).orElse(Standing.ASSUMED);
            Placement placement = held.<Placement>map(before -> new Placement.Placed(before.allocation()))
                    .orElseGet(() -> entry.place(pod.wanted(), scoring));
            return switch (placement) {
                case Placement.Refused(var why) -> {
                    result[0] = new Assumption.Refused(Reason.taken(why));
                    yield entry;
                }
                case Placement.Placed(Allocation allocation) -> {
                    Holding hold = new Holding(node, allocation, standing, now);
                    result[0] = new Assumption.Assumed(hold, entry.cards().inventory());
                    yield entry.with(pod.ref(), allocation);
                }
            };
        });
        return result[0];
    }

    /** The API server said that this assumption came true, and so no other one can. */
    public void confirm(PodRef pod, Holding assumed, Instant now) {
        confirmAsWritten(pod, assumed, assumed.node(), assumed.allocation(), now);
    }

    /**
     * The pod, read from the API server after a call that left doubt, is bound with that allocation. Ignored unless the
     * doubt is still there: what the informer showed meanwhile is newer.
     */
    public void confirmAsWritten(PodRef pod, Holding doubtful, String node, Allocation written, Instant now) {
        pods.computeIfPresent(pod.uid(), (uid, entry) -> {
            if (!entry.holds().contains(doubtful)) {
                return entry;
            }
            List<Holding> bound = List.of(new Holding(node, written, Standing.BOUND, now));
            move(pod, entry.holds(), bound);
            return entry.with(bound);
        });
    }

    /** No answer came: this assumption may come true at any moment. */
    public void doubt(PodRef pod, Holding assumed) {
        pods.computeIfPresent(
                pod.uid(),
                (uid, entry) -> entry.holds().contains(assumed)
                        ? entry.assuming(
                                new Holding(assumed.node(), assumed.allocation(), Standing.DOUBTFUL, assumed.since()))
                        : entry);
    }

    /** That hold did not come true, or is no more. Ignored if something else is known of the pod by now. */
    public void forget(PodRef pod, Holding hold) {
        pods.computeIfPresent(pod.uid(), (uid, entry) -> {
            List<Holding> left =
                    entry.holds().stream().filter(other -> !other.equals(hold)).toList();
            move(pod, entry.holds(), left);
            if (left.isEmpty() && entry.node() == null) {
                loads.gone(pod, pod.uid());
            }
            return entry.with(left).kept();
        });
    }

    /** Brings the nodes from what the pod held to what it holds. */
    private void move(PodRef pod, List<Holding> from, List<Holding> to) {
        for (Holding hold : from) {
            if (to.stream().noneMatch(other -> other.node().equals(hold.node()))) {
                nodes.change(hold.node(), entry -> entry.without(pod.uid()));
            }
        }
        for (Holding hold : to) {
            if (from.stream().noneMatch(hold::sameCards)) {
                nodes.change(hold.node(), entry -> entry.with(pod, hold.allocation()));
            }
        }
    }

    public NodeEntry nodeEntry(String name) {
        return nodes.entry(name);
    }

    /** The nodes for whoever asks about thousands of them. */
    public NodeColumns columns() {
        return nodes.columns();
    }

    public Optional<PodEntry> podEntry(String podUid) {
        return Optional.ofNullable(pods.get(podUid));
    }

    /** The pods for which kube-scheduler found no node, though they are written right, and for which nothing is assumed. */
    public List<PodEntry> waiting() {
        return refused.stream()
                .filter(uid -> !wrong.containsKey(uid))
                .map(pods::get)
                .filter(entry -> entry != null && entry.holds().isEmpty())
                .toList();
    }

    /** How many pods wait because of what is written on them. */
    public int writtenWrong() {
        return wrong.size();
    }

    /** The pods that wait, for people: what matters most first. */
    public List<WaitingPod> waitingPods() {
        List<WaitingPod> all = new ArrayList<>(wrong.values());
        waiting().forEach(entry -> all.add(new WaitingPod(entry.ref(), entry.rank(), entry.demand(), null)));
        all.sort(Comparator.comparing(WaitingPod::rank, PodPriority.MOST_FIRST)
                .thenComparing(pod -> pod.ref().toString()));
        return all;
    }

    /** The nodes as they are now, by name. */
    public Map<String, NodeEntry> nodeEntries() {
        return nodes.entries();
    }

    /** What the node's kubelet offers to all its pods together. */
    public Share allocatable(String node) {
        return offers.getOrDefault(node, Share.NONE);
    }

    /** The pods that hold what nothing has confirmed since before that moment. */
    public List<PodEntry> unseenSince(Instant before) {
        return pods.values().stream()
                .filter(entry -> !entry.unseenSince(before).isEmpty())
                .toList();
    }

    /** Every node of which something is known, by name. */
    public List<NodeView> nodes() {
        return nodes.views();
    }

    public Optional<NodeView> node(String name) {
        return nodes.view(name);
    }

    /** All of it in numbers. */
    public LedgerStats census() {
        return LedgerStats.of(nodes.entries(), pods.values(), policies.fragmentation());
    }

    /** How many pods had an annotation that is not believed, or can't be true beside the others. */
    public long disbelieved() {
        return disbelieved.get();
    }

    /** Memory units of those bound pods of which nothing right says on which card they are, by node. */
    public Map<String, Long> unattributedUnits() {
        Map<String, Long> units = new HashMap<>();
        for (PodEntry entry : pods.values()) {
            @Nullable String node = entry.node();
            if (node != null && entry.unattributed()) {
                units.merge(node, (long) entry.demand().total().units(), Long::sum);
            }
        }
        return units;
    }
}
