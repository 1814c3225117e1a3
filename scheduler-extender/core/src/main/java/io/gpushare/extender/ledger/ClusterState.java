package io.gpushare.extender.ledger;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.PodDemandDecoder;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.pod.WaitingPod;
import io.gpushare.model.PodRef;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.node.Taint;
import io.gpushare.model.pod.PodPriority;
import io.gpushare.model.pod.PodState;
import io.gpushare.model.request.ContainerResources;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The cluster as the ledger counts it at one moment, which nothing changes: all that those read who explain, show and
 * measure it.
 */
public final class ClusterState {
    private final Map<String, NodeEntry> entries;
    private final List<PodEntry> pods;
    private final List<NodeView> nodes;
    private final Map<String, NodeView> byName = new HashMap<>();
    private final List<PodEntry> waiting;
    private final List<PodEntry> waitingForOthers;
    private final List<WaitingPod> invalid;
    private final Reservations reservations;
    private final ReservedPods reserved;
    private final PodDemandDecoder decoder;
    private final ExhaustedDevices exhausted;
    // Made when the first is looked for: most readers only go through the pods, of which there may be 160,000.
    private @Nullable Map<String, PodEntry> byUid;

    ClusterState(
            NodeTable nodes,
            PodTable pods,
            UnscheduledPods unscheduled,
            Reservations reservations,
            PodDemandDecoder decoder) {
        // First: what is bound meanwhile counts twice, and not at all the other way round.
        this.reservations = reservations.copy();
        this.entries = nodes.entries();
        this.pods = List.copyOf(pods.entries());
        this.nodes = nodes.views(entries);
        this.nodes.forEach(node -> byName.put(node.name(), node));
        Map<Boolean, List<PodEntry>> foreign = unscheduled.valid().stream()
                .flatMap(uid -> pods.entry(uid).stream())
                .filter(entry -> entry.holdings().isEmpty())
                .collect(Collectors.partitioningBy(entry -> entry.ofOthers()));
        this.waiting = foreign.getOrDefault(false, List.of());
        this.waitingForOthers = foreign.getOrDefault(true, List.of());
        this.invalid = List.copyOf(unscheduled.invalid());
        this.reserved = new ReservedPods(this::entry, this.reservations, this::pod);
        this.decoder = decoder;
        this.exhausted = new ExhaustedDevices(Map.copyOf(nodes.exhausted().byNode()));
    }

    /**
     * A node, for users.
     *
     * @param address its address in the cluster's network; null if unknown
     * @param metrics host and port of its device plugin's metrics; null if none runs
     * @param unusable why it can take no new pod; null if it can
     * @param shut what closes it for a while to pods that do not tolerate that; null if nothing does
     */
    public record NodeView(
            String name,
            @Nullable String address,
            @Nullable String metrics,
            @Nullable Reason unusable,
            @Nullable Taint shut,
            NodeCards cards) {}

    /** All nodes with an inventory, a pod or an API object, by name. */
    public List<NodeView> nodes() {
        return nodes;
    }

    public Optional<NodeView> node(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /** The nodes as the ledger counts them, by name. */
    public Map<String, NodeEntry> entries() {
        return entries;
    }

    private NodeEntry entry(String name) {
        return NodeEntry.orUnseen(entries.get(name));
    }

    /** The nodes as that pod may use them, by name: see {@link Ledger#nodeEntryFor}. */
    public Map<String, NodeEntry> entriesFor(String podUid, int priority) {
        Map<String, NodeEntry> all = new HashMap<>(entries);
        Map<String, NodeEntry> apart = reserved.nodesApart(podUid, priority);
        all.replaceAll((name, entry) -> apart.getOrDefault(name, entry));
        return all;
    }

    /** All pods with a demand. */
    public Collection<PodEntry> pods() {
        return pods;
    }

    public synchronized Optional<PodEntry> pod(String uid) {
        if (byUid == null) {
            byUid = pods.stream()
                    .collect(Collectors.toMap(pod -> pod.ref().uid(), Function.identity(), (_, last) -> last));
        }
        return Optional.ofNullable(byUid.get(uid));
    }

    /**
     * The pods with a valid demand for which kube-scheduler found no node and nothing is assumed, without those to
     * which others give their cards.
     */
    public List<PodEntry> waiting() {
        return waiting;
    }

    /** All pods for which kube-scheduler found no node, highest priority first. */
    public List<WaitingPod> waitingPods() {
        List<WaitingPod> all = new ArrayList<>(invalid);
        Stream.of(waiting, waitingForOthers)
                .flatMap(List::stream)
                .forEach(entry -> all.add(new WaitingPod(entry.ref(), entry.priority(), entry.podDemand())));
        all.sort(Comparator.comparing(WaitingPod::priority, PodPriority.HIGHEST_FIRST)
                .thenComparing(pod -> pod.ref().toString()));
        return all;
    }

    /** The cards that nodes' annotations reserve. */
    public Collection<Reservation> reservedForMoves() {
        return reservations.ofNodes();
    }

    /** Why the nodes of bound pods with claims do not start them, as sentences, by the pod's uid. */
    public Map<String, String> notStarted() {
        return pods.stream()
                .filter(pod -> pod.node() != null
                        && pod.ofOthers()
                        && !pod.podDemand().notes().isEmpty())
                .collect(Collectors.toMap(
                        pod -> pod.ref().uid(), pod -> pod.podDemand().notes().getFirst(), (first, _) -> first));
    }

    /** The memory units of each bound pod without a valid allocation, by node. */
    public Map<String, Map<PodRef, Long>> unattributedUnits() {
        Map<String, Map<PodRef, Long>> units = new HashMap<>();
        for (PodEntry entry : pods) {
            @Nullable String node = entry.node();
            if (node != null && entry.unattributed()) {
                units.computeIfAbsent(node, _ -> new HashMap<>())
                        .put(entry.ref(), (long) entry.demand().total().units());
            }
        }
        return units;
    }

    /** Decodes what a pod requests. */
    public PodDemand demand(PodState pod) {
        return decoder.decode(pod);
    }

    /** Decodes what a pod requests. */
    public PodDemand demand(SchedulingPod pod) {
        return decoder.decode(pod);
    }

    /** The resources of GPUs of which the containers request 0. */
    public Set<String> zeros(List<ContainerResources> containers) {
        return decoder.codec().zeros(containers);
    }

    /** As {@link Ledger#rejecting}. */
    public Set<String> rejecting(SchedulingPod pod) {
        return exhausted.nodes(zeros(pod.containers()));
    }

    /** What a pod without a demand may have meant; see {@link io.gpushare.model.codec.DemandCodec#nearly}. */
    public Optional<String> nearly(SchedulingPod pod) {
        return decoder.codec().nearly(pod.containers());
    }
}
