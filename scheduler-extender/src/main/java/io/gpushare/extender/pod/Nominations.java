package io.gpushare.extender.pod;

import io.gpushare.model.Allocation;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.ledger.CardOrder;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Placement;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The waiting pods that are nominated to a node, because kube-scheduler or this extender evicted pods there for them.
 * As in kube-scheduler, their demands count against pods of the same or a lower priority: these must not take the cards
 * that become free.
 */
public final class Nominations {
    /**
     * A pod that is nominated to that node.
     *
     * @param held whether this extender holds the cards, whatever kube-scheduler writes
     * @param shown whether the pod's status names the node as the nominated one
     */
    public record Nominated(PodRef ref, String node, Demand demand, PodPriority priority, boolean held, boolean shown) {
        public Nominated {
            Objects.requireNonNull(ref);
            Objects.requireNonNull(node);
            Objects.requireNonNull(demand);
            Objects.requireNonNull(priority);
        }

        private Nominated shown(boolean now) {
            return new Nominated(ref, node, demand, priority, held, now);
        }
    }

    /** Cards that this process holds for a pod, and the uids of the pods that it evicts from them. */
    private record Hold(Nominated pod, Set<String> victims) {}

    // Of two with the same priority, the one whose cards are held, even if the other is older: these cards were freed
    // for it.
    private static final Comparator<Nominated> FIRST = Comparator.comparingInt(
                    (Nominated pod) -> pod.priority().value())
            .reversed()
            .thenComparing(pod -> !pod.held())
            .thenComparing(Nominated::priority, PodPriority.HIGHEST_FIRST)
            .thenComparing(pod -> pod.ref().uid());

    // As the API server shows them.
    private final Map<String, Nominated> pods = new ConcurrentHashMap<>();
    // Those that this process holds, before the API server shows it and after.
    private final Map<String, Hold> holds = new ConcurrentHashMap<>();
    // The node whose cards wait for a pod, by uid: pods were moved away from them.
    private final Map<String, String> promised = new ConcurrentHashMap<>();

    /** A pod was added or changed. */
    public void update(ClusterPod pod, PodDemand demand) {
        String uid = pod.ref().uid();
        @Nullable String nominated = pod.heldNode() == null ? pod.nominatedNode() : pod.heldNode();
        @Nullable String node = nominated == null ? promised.get(uid) : nominated;
        boolean waits = pod.node() == null && !pod.priority().terminating();
        if (node != null && waits && demand instanceof PodDemand.Valid valid) {
            boolean shown = node.equals(pod.nominatedNode());
            pods.put(
                    uid, new Nominated(pod.ref(), node, valid.demand(), pod.priority(), pod.heldNode() != null, shown));
        } else {
            pods.remove(uid);
        }
        holds.computeIfPresent(
                uid,
                (_, hold) -> waits && demand instanceof PodDemand.Valid
                        ? new Hold(hold.pod().shown(hold.pod().node().equals(pod.nominatedNode())), hold.victims())
                        : null);
    }

    public void remove(String uid) {
        pods.remove(uid);
        holds.remove(uid);
    }

    /**
     * This process holds cards of its node for that pod, whatever the API server shows yet.
     *
     * @param victims the uids of the pods that leave the cards
     */
    public void hold(Nominated pod, Set<String> victims) {
        holds.put(pod.ref().uid(), new Hold(pod, Set.copyOf(victims)));
    }

    /** This process holds no cards for that pod any more. */
    public void release(String uid) {
        holds.remove(uid);
    }

    /** This process holds no cards any more: another one leads. */
    public void releaseAll() {
        holds.clear();
    }

    /** Whether this process evicts the pod with that uid from cards that it holds. */
    public boolean evicts(String uid) {
        return holds.values().stream().anyMatch(hold -> hold.victims().contains(uid));
    }

    /** The node's cards wait for that pod, as if it were nominated there, if it is nominated nowhere else. */
    public void promise(String uid, String node, Optional<Nominated> waiting) {
        promised.put(uid, node);
        waiting.ifPresent(pod -> pods.putIfAbsent(uid, pod));
    }

    /** The node's cards do not wait for that pod any more. */
    public void withdraw(String uid, String node) {
        if (promised.remove(uid, node)) {
            pods.computeIfPresent(uid, (_, pod) -> pod.node().equals(node) && !pod.held() && !pod.shown() ? null : pod);
        }
    }

    /** Where that pod is nominated; empty if it is not. */
    public Optional<Nominated> of(String uid) {
        @Nullable Hold hold = holds.get(uid);
        return Optional.ofNullable(hold == null ? pods.get(uid) : hold.pod());
    }

    private Stream<Nominated> all() {
        return Stream.concat(
                holds.values().stream().map(Hold::pod),
                pods.values().stream()
                        .filter(pod -> !holds.containsKey(pod.ref().uid())));
    }

    /** The pods for which this extender holds cards. */
    public List<Nominated> held() {
        return all().filter(Nominated::held).toList();
    }

    /**
     * Whether that pod counts against the pod with that uid and priority: if it is more important, or as important. Of
     * two that are nominated to the same node only one counts against the other, or neither would get the card.
     */
    public boolean precedes(Nominated nominated, String uid, int priority) {
        return of(uid).filter(own -> own.node().equals(nominated.node()))
                .map(own -> FIRST.compare(nominated, own) < 0)
                .orElse(nominated.priority().value() >= priority);
    }

    /** The nodes to which such pods are nominated. */
    public Set<String> nodes(Predicate<Nominated> which) {
        return all().filter(which).map(Nominated::node).collect(Collectors.toSet());
    }

    /**
     * Where such pods fit on that node once the terminating pods are gone, the most important first. A pod that does
     * not fit then is omitted: no card waits for it.
     *
     * @param cards the node's cards now
     * @param terminating whether the holder with that key is about to leave its cards
     */
    public Map<PodRef, Allocation> expected(
            String node, NodeCards cards, Predicate<Nominated> which, Predicate<String> terminating) {
        List<Nominated> nominated = all().filter(pod -> pod.node().equals(node) && which.test(pod))
                .sorted(FIRST)
                .toList();
        Map<PodRef, Allocation> expected = new LinkedHashMap<>();
        NodeCards later = nominated.isEmpty() ? cards : without(cards, terminating);
        for (Nominated pod : nominated) {
            if (later.place(pod.demand(), CardOrder.BINPACK) instanceof Placement.Placed(Allocation allocation)) {
                later = later.with(pod.ref(), allocation);
                expected.put(pod.ref(), allocation);
            }
        }
        return expected;
    }

    private static NodeCards without(NodeCards cards, Predicate<String> terminating) {
        NodeCards left = cards;
        for (NodeCards.Holding holding : cards.holdings()) {
            String key = holding.holder().key();
            left = terminating.test(key) ? left.without(key) : left;
        }
        return left;
    }
}
