package io.gpushare.plugin.allocate.snapshot;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.codec.Decoded;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.PodName;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What is known at one moment of the cards that pods have by the device plugin API: the cards, the pods of the API, the
 * last list of pod-resources, the answered Allocate calls, and those that the kubelet recorded.
 */
public final class NodeSnapshot {
    private final NodeEvidence evidence;
    private final Set<String> refused;
    private final AdmissionOrder admissionOrder;
    private final NodeAllocations allocations;
    /** Whether pod-resources is listed at all: otherwise nothing would end the memory of a deleted pod's name. */
    private final boolean listing;

    private NodeSnapshot(NodeEvidence evidence, Set<String> refused, AdmissionOrder admissionOrder, boolean listing) {
        this.evidence = evidence;
        this.refused = Set.copyOf(refused);
        this.admissionOrder = admissionOrder;
        this.listing = listing;
        this.allocations = NodeAllocations.of(evidence);
    }

    /** A node of which nothing but the cards is known. */
    public static NodeSnapshot of(Inventory inventory) {
        return new NodeSnapshot(NodeEvidence.none(inventory), Set.of(), AdmissionOrder.NONE, true);
    }

    /** The same on a node that does not offer its cards by the device plugin: there, pod-resources is not listed. */
    public static NodeSnapshot unlisted(Inventory inventory) {
        return new NodeSnapshot(NodeEvidence.none(inventory), Set.of(), AdmissionOrder.NONE, false);
    }

    public Inventory inventory() {
        return evidence.inventory();
    }

    public Collection<NodePod> pods() {
        return evidence.pods().values();
    }

    public PodResourcesList listed() {
        return evidence.listed();
    }

    /** The order in which the kubelet admits the pods. */
    public AdmissionOrder admissionOrder() {
        return admissionOrder;
    }

    /** What is allocated on the cards. */
    public NodeAllocations allocations() {
        return allocations;
    }

    public NodeSnapshot withInventory(Inventory changed) {
        return changed.equals(inventory()) ? this : with(evidence.withInventory(changed));
    }

    private NodeSnapshot with(NodeEvidence changed) {
        return new NodeSnapshot(changed, refused, admissionOrder, listing);
    }

    /** The snapshot after the API reported this pod. */
    public NodeSnapshot withPod(NodePod pod) {
        Map<String, NodePod> changed = new HashMap<>(evidence.pods());
        changed.put(pod.ref().uid(), pod);
        return with(evidence.withPods(changed, without(evidence.deleted(), pod.name()))
                .withAnswered(
                        pod.ended() ? evidence.answered().without(pod.ref().uid()) : evidence.answered()));
    }

    /**
     * The snapshot after the API deleted the pod. What the pod had is free at once, as it is for the extender. The
     * kubelet may still list the pod for a moment, but the next pod on its cards must find their devices offered.
     */
    public NodeSnapshot withoutPod(String uid) {
        Map<String, NodePod> changed = new HashMap<>(evidence.pods());
        Set<PodName> gone = new HashSet<>(evidence.deleted());
        NodePod last = changed.remove(uid);
        if (last != null
                && listing
                && changed.values().stream().noneMatch(pod -> pod.name().equals(last.name()))) {
            gone.add(last.name());
        }
        NodeEvidence left = evidence.withPods(changed, gone)
                .withAnswered(evidence.answered().without(uid));
        return new NodeSnapshot(left, without(refused, uid), admissionOrder, listing);
    }

    /**
     * The snapshot with the pods of a fresh list instead of the known ones, for one decision. Pods that the list lacks
     * are deleted, as in {@link #withoutPod}.
     */
    public NodeSnapshot withPods(Collection<NodePod> fresh) {
        Map<String, NodePod> now =
                fresh.stream().collect(Collectors.toMap(pod -> pod.ref().uid(), pod -> pod));
        Set<PodName> gone = new HashSet<>(evidence.deleted());
        pods().forEach(pod -> gone.add(pod.name()));
        fresh.forEach(pod -> gone.remove(pod.name()));
        return with(evidence.withPods(now, gone)
                .withAnswered(evidence.answered()
                        .only(call -> now.containsKey(call.pod().uid())
                                || !evidence.pods().containsKey(call.pod().uid()))));
    }

    /** The snapshot with the pods of a fresh list that ended, which the watch may report later: an end is final. */
    public NodeSnapshot withEnded(Collection<NodePod> fresh) {
        NodeSnapshot changed = this;
        for (NodePod pod : fresh) {
            if (pod.ended() && evidence.pods().containsKey(pod.ref().uid())) {
                changed = changed.withPod(pod);
            }
        }
        return changed;
    }

    /**
     * The snapshot after pod-resources listed this.
     *
     * @param requested when the list was requested. An older answered call for a pod that neither the list nor the API
     *     knows is dropped: the pod was deleted before the API's watch reported it
     */
    public NodeSnapshot withListed(PodResourcesList changed, Instant requested) {
        AnsweredCalls kept = evidence.answered()
                .only(call -> evidence.pods().containsKey(call.pod().uid())
                        || changed.knows(PodName.of(call.pod()))
                        || !call.at().isBefore(requested));
        // A pod that the kubelet no longer lists is deleted for both; the next pod of its name is another one.
        Set<PodName> gone = evidence.deleted().stream().filter(changed::knows).collect(Collectors.toSet());
        // An unchanged list says nothing about new pods.
        AdmissionOrder order =
                changed.equals(listed()) ? admissionOrder : admissionOrder.with(changed, requested, this::uidOf);
        return new NodeSnapshot(evidence.withListed(changed, gone).withAnswered(kept), refused, order, listing);
    }

    private Optional<String> uidOf(PodName name) {
        return pods().stream()
                .filter(pod -> pod.name().equals(name) && !pod.ended())
                .map(pod -> pod.ref().uid())
                .findFirst();
    }

    /** The snapshot after the kubelet's checkpoint was read. */
    public NodeSnapshot withCheckpoint(KubeletCheckpoint changed) {
        return with(evidence.withCheckpoint(changed));
    }

    /**
     * The snapshot with what the checkpoint records for these pods, as far as nothing else says what they have. A
     * kubelet that restarted lists no pods before it has listed them at the API server, but its record outlives the
     * pods: this is for pods whose processes run.
     */
    public NodeSnapshot withRecorded(Set<String> uids) {
        Map<PodName, Map<String, Set<String>>> listed = new HashMap<>(listed().pods());
        uids.stream()
                .filter(uid -> allocations.assigned().allocationOf(uid).isEmpty())
                .forEach(uid ->
                        listed.put(new PodName("", uid), evidence.checkpoint().devices(uid)));
        return with(evidence.withListed(new PodResourcesList(listed), evidence.deleted()));
    }

    /** How many names are kept of pods that the API has deleted, and the kubelet may still list. */
    int deletedPods() {
        return evidence.deleted().size();
    }

    /** Whether a pod has cards that no known response gave it: then the kubelet's checkpoint must be read. */
    public boolean unproved() {
        return allocations.evidence().values().stream().anyMatch(each -> each != NodeAllocations.Evidence.RESPONSES);
    }

    /** Whether the kubelet's checkpoint was read; one without entries is another object than the one before it. */
    @SuppressWarnings("ReferenceEquality")
    public boolean checkpointKnown() {
        return evidence.checkpoint() != KubeletCheckpoint.EMPTY;
    }

    /**
     * A pod that requests nothing under known names, and has the annotated cards under another resource's name; or that
     * has cores under another name than the node's. These would be free by that name's change.
     *
     * @param known the names of resources that are counted
     */
    public Optional<String> unknownResource(Set<String> known) {
        return pods().stream()
                .filter(pod -> !pod.ended())
                .flatMap(pod -> evidence.checkpoint().entries(pod.ref().uid()).stream()
                        .filter(entry -> !known.contains(entry.resource())
                                && (pod.demand() instanceof Decoded.Absent
                                        ? pod.annotates(entry.container())
                                        : entry.ofPercents(inventory().beside())))
                        .map(entry -> "pod " + pod.ref() + " has cards of resource " + entry.resource()))
                .findFirst();
    }

    /**
     * Whether an Allocate for devices of that kind for that container was answered, by this process or one before it.
     */
    public boolean answered(PodRef pod, String container, ShareKind kind) {
        return evidence.answered().of(pod, container).anyMatch(call -> call.mayBe(kind))
                || evidence.checkpoint().entries(pod.uid()).stream()
                        .anyMatch(entry -> entry.container().equals(container) && entry.mayBe(kind));
    }

    /** What a response gave to that container, as far as it is known; the kubelet's checkpoint knows earlier ones. */
    public Optional<ContainerAllocation> response(PodRef pod, ContainerDemand container) {
        return evidence.answered()
                .of(pod, container.name())
                .map(AnsweredCall::allocation)
                .findFirst()
                .or(() -> evidence.checkpoint()
                        .allocations(pod.uid(), container, inventory())
                        .findFirst());
    }

    /** The last answered call for exactly these devices. */
    public Optional<AnsweredCall> lastCall(Set<String> ids) {
        return evidence.answered().calls().reversed().stream()
                .filter(call -> call.ids().equals(ids))
                .findFirst();
    }

    /** The snapshot after an Allocate; it replaces an earlier one for the same devices of the same container. */
    public NodeSnapshot withAnsweredCall(AnsweredCall call) {
        return with(evidence.withAnswered(evidence.answered().with(call)));
    }

    /** The snapshot after an Allocate for this pod was refused: the kubelet has rejected the pod permanently. */
    public NodeSnapshot withRefused(String uid) {
        Set<String> changed = new HashSet<>(refused);
        changed.add(uid);
        return new NodeSnapshot(evidence, changed, admissionOrder, listing);
    }

    /** Whether the pod may still receive cards. */
    public boolean waits(NodePod pod) {
        return !pod.ended() && !refused.contains(pod.ref().uid()) && !refusedByOther(pod);
    }

    /** Whether another device plugin gave a container of the pod no card: it fails at every start. */
    boolean refusedByOther(NodePod pod) {
        return !evidence.checkpoint().refused(pod.ref().uid()).isEmpty();
    }

    /** The pods that are bound to the node, and whose containers don't all have their cards yet. */
    public List<PodRef> awaitingCards() {
        return pods().stream()
                .filter(pod -> waits(pod) && pod.demand().valid().isPresent())
                .filter(pod -> allocations
                        .assigned()
                        .allocationOf(pod.ref().uid())
                        .filter(pod::gives)
                        .isEmpty())
                .map(NodePod::ref)
                .toList();
    }

    /** Whether the kubelet lists a pod that the API's watch has not reported: then the API must be listed. */
    public boolean behind() {
        return unreported().findAny().isPresent();
    }

    private Stream<PodName> unreported() {
        Set<PodName> known = pods().stream().map(NodePod::name).collect(Collectors.toSet());
        return listed().pods().keySet().stream().filter(name -> !known.contains(name));
    }

    /**
     * A pod that the API has not reported and that the kubelet began to admit after the given one. If there is one, the
     * given pod is no longer being admitted.
     *
     * @param fresh whether the API was just listed: a pod that appeared in the same list and is not there was deleted
     */
    public Optional<PodName> unknownPodAfter(NodePod pod, boolean fresh) {
        long number = admissionOrder.of(pod).orElse(admissionOrder.lists() - 1);
        return unreported()
                .filter(name ->
                        admissionOrder.number(name) > number || (!fresh && admissionOrder.number(name) == number))
                .findFirst();
    }

    private static <T> Set<T> without(Set<T> all, T one) {
        return all.stream().filter(each -> !each.equals(one)).collect(Collectors.toSet());
    }
}
