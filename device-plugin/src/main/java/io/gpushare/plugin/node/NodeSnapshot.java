package io.gpushare.plugin.node;

import io.gpushare.model.card.Inventory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Everything that the plugin knows of its node at one moment: the cards, the pods that the API has, what pod-resources
 * listed last, and what each Allocate was answered.
 */
public final class NodeSnapshot {
    private final Inventory inventory;
    private final Map<String, NodePod> pods;
    private final PodResourcesList listed;
    private final List<AnsweredCall> answers;
    private final Set<String> refused;
    private final Set<PodName> gone;
    private final AdmissionOrder arrivals;
    private final NodeAllocations use;

    private NodeSnapshot(
            Inventory inventory,
            Map<String, NodePod> pods,
            PodResourcesList listed,
            List<AnsweredCall> answers,
            Set<String> refused,
            Set<PodName> gone,
            AdmissionOrder arrivals) {
        this.inventory = inventory;
        this.pods = Map.copyOf(pods);
        this.listed = listed;
        this.answers = List.copyOf(answers);
        this.refused = Set.copyOf(refused);
        this.gone = Set.copyOf(gone);
        this.arrivals = arrivals;
        this.use = NodeAllocations.of(inventory, this.pods.values(), listed.without(this.gone), this.answers);
    }

    /** A node of which only the cards are known. */
    public static NodeSnapshot of(Inventory inventory) {
        return new NodeSnapshot(
                inventory, Map.of(), PodResourcesList.NOTHING, List.of(), Set.of(), Set.of(), AdmissionOrder.NONE);
    }

    public Inventory inventory() {
        return inventory;
    }

    public Collection<NodePod> pods() {
        return pods.values();
    }

    public PodResourcesList listed() {
        return listed;
    }

    public List<AnsweredCall> answers() {
        return answers;
    }

    /** In which order the pods came to the kubelet. */
    public AdmissionOrder arrivals() {
        return arrivals;
    }

    /** What is held on the cards. */
    public NodeAllocations use() {
        return use;
    }

    public NodeSnapshot withInventory(Inventory changed) {
        return new NodeSnapshot(changed, pods, listed, answers, refused, gone, arrivals);
    }

    /** The API says this of the pod now. */
    public NodeSnapshot withPod(NodePod pod) {
        Map<String, NodePod> changed = new LinkedHashMap<>(pods);
        changed.put(pod.ref().uid(), pod);
        List<AnsweredCall> kept = pod.ended() ? without(pod.ref().uid()) : answers;
        return new NodeSnapshot(inventory, changed, listed, kept, refused, without(gone, pod.name()), arrivals);
    }

    /**
     * The API does not have the pod any more. What it held is free at once, as it is for the extender, though the kubelet
     * still lists the pod until it hears of that too: the next pod on its cards must find their devices offered.
     */
    public NodeSnapshot withoutPod(String uid) {
        Map<String, NodePod> changed = new LinkedHashMap<>(pods);
        changed.remove(uid);
        Set<PodName> left = new HashSet<>(gone);
        NodePod last = pods.get(uid);
        if (last != null
                && changed.values().stream().noneMatch(pod -> pod.name().equals(last.name()))) {
            left.add(last.name());
        }
        return new NodeSnapshot(inventory, changed, listed, without(uid), without(refused, uid), left, arrivals);
    }

    /**
     * The same with the pods of a fresh list in place of those known, to decide upon and then to forget. Those that it
     * lacks are gone, as in {@link #withoutPod}.
     */
    public NodeSnapshot withPods(Collection<NodePod> fresh) {
        Map<String, NodePod> now =
                fresh.stream().collect(Collectors.toMap(pod -> pod.ref().uid(), pod -> pod));
        Set<PodName> names = fresh.stream().map(NodePod::name).collect(Collectors.toSet());
        Set<PodName> left = new HashSet<>(gone);
        pods.values().forEach(pod -> left.add(pod.name()));
        left.removeAll(names);
        List<AnsweredCall> kept = answers.stream()
                .filter(answer -> now.containsKey(answer.pod().uid())
                        || !pods.containsKey(answer.pod().uid()))
                .toList();
        return new NodeSnapshot(inventory, now, listed, kept, refused, left, arrivals);
    }

    /** The same where the fresh list knows of pods that ended and the watch does not yet: an end is never taken back. */
    public NodeSnapshot withEnded(Collection<NodePod> fresh) {
        NodeSnapshot changed = this;
        for (NodePod pod : fresh) {
            if (pod.ended() && pods.containsKey(pod.ref().uid())) {
                changed = changed.withPod(pod);
            }
        }
        return changed;
    }

    /**
     * pod-resources listed this.
     *
     * @param asked when it was asked. An older answer to a pod that neither it nor the API knows is forgotten: the pod
     *     went before the API's watch could tell of it
     */
    public NodeSnapshot withListed(PodResourcesList changed, Instant asked) {
        List<AnsweredCall> kept = answers.stream()
                .filter(answer -> pods.containsKey(answer.pod().uid())
                        || changed.knows(PodName.of(answer.pod()))
                        || !answer.at().isBefore(asked))
                .toList();
        // One that the kubelet no longer lists is gone for both; whoever has the name next is another pod.
        Set<PodName> left = gone.stream().filter(changed::knows).collect(Collectors.toSet());
        // The same list again tells nothing of who came.
        AdmissionOrder came = changed.equals(listed) ? arrivals : arrivals.with(changed, asked, this::uidOf);
        return new NodeSnapshot(inventory, pods, changed, kept, refused, left, came);
    }

    private Optional<String> uidOf(PodName name) {
        return pods.values().stream()
                .filter(pod -> pod.name().equals(name) && !pod.ended())
                .map(pod -> pod.ref().uid())
                .findFirst();
    }

    /** An Allocate was answered so; an earlier answer to the same container is replaced. */
    public NodeSnapshot withAnswer(AnsweredCall answer) {
        List<AnsweredCall> changed = new ArrayList<>(answers);
        changed.removeIf(old -> old.to(answer.pod(), answer.gets().name()));
        changed.add(answer);
        return new NodeSnapshot(inventory, pods, listed, changed, refused, gone, arrivals);
    }

    /** An Allocate for this pod was refused: the kubelet has rejected it for good, and it does not ask again. */
    public NodeSnapshot withRefused(String uid) {
        Set<String> changed = new HashSet<>(refused);
        changed.add(uid);
        return new NodeSnapshot(inventory, pods, listed, answers, changed, gone, arrivals);
    }

    /** Whether that pod may still be given cards. */
    public boolean waits(NodePod pod) {
        return !pod.ended() && !refused.contains(pod.ref().uid());
    }

    /** Whether the kubelet knows a pod that the API's watch has not told of, so that a fresh list is worth its time. */
    public boolean behind() {
        Set<PodName> known = pods.values().stream().map(NodePod::name).collect(Collectors.toSet());
        return !known.containsAll(listed.pods().keySet());
    }

    /**
     * A pod of which the API has not told, and which came to the kubelet after that one; so that one is not at the door any
     * more.
     *
     * @param fresh whether the API was asked just now: what came at the same time and is not there has gone since
     */
    public Optional<PodName> strangerAfter(NodePod pod, boolean fresh) {
        Set<PodName> known = pods.values().stream().map(NodePod::name).collect(Collectors.toSet());
        long came = arrivals.of(pod).orElse(arrivals.lists() - 1);
        return listed.pods().keySet().stream()
                .filter(name -> !known.contains(name))
                .filter(name -> arrivals.number(name) > came || (!fresh && arrivals.number(name) == came))
                .findFirst();
    }

    private static <T> Set<T> without(Set<T> all, T one) {
        return all.stream().filter(each -> !each.equals(one)).collect(Collectors.toSet());
    }

    private List<AnsweredCall> without(String uid) {
        Stream<AnsweredCall> others =
                answers.stream().filter(answer -> !answer.pod().uid().equals(uid));
        return others.toList();
    }
}
