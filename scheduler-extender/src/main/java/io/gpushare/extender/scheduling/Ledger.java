package io.gpushare.extender.scheduling;

import io.gpushare.extender.placement.Ask;
import io.gpushare.extender.placement.Binpack;
import io.gpushare.extender.placement.NodeSummary;
import io.gpushare.extender.scheduling.Hold.Standing;
import io.gpushare.model.Allocation;
import io.gpushare.model.Demand;
import io.gpushare.model.Inventory;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.codec.DemandCodec;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Placement;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is allocated on each card of each node: a copy of what the API says, plus what is assumed. The one mutable object
 * that the verbs share.
 *
 * <p>Both maps hold immutable values. Every change of a pod is one atomic step on its entry, and inside it one atomic step
 * on each node's entry that it touches; the order is always pod, then node, so two changes can't wait for each other, and
 * no step does I/O. Readers see a node either before or after a change, never between.
 */
public final class Ledger {
    private static final Logger LOG = LoggerFactory.getLogger(Ledger.class);

    private final DemandCodec demands;
    private final Map<String, NodeEntry> nodes = new ConcurrentHashMap<>();
    private final Map<String, PodEntry> pods = new ConcurrentHashMap<>();
    // The uid that the informer last showed under "namespace/name": a pod made anew under an old name, whose old uid's
    // end was missed in a gap of the watch, must not leave the old one's cards taken for ever.
    private final Map<String, String> listedUids = new ConcurrentHashMap<>();

    public Ledger(DemandCodec demands) {
        this.demands = demands;
    }

    /** A node of the ledger, for people: {@code unusable} is null when its inventory is known. */
    public record NodeView(String name, @Nullable Reason unusable, NodeCards cards) {}

    /** What came of {@link #assume}. */
    sealed interface Assumption {
        /** Reserved now, or by an earlier attempt of which nobody knows whether it came true. */
        record Assumed(Hold hold, Inventory inventory) implements Assumption {}

        /** The pod is bound already, there. */
        record Bound(Hold hold) implements Assumption {}

        record Refused(Reason why) implements Assumption {}
    }

    // ---- what the informers show; each kind is told from one thread, in order

    /** A node is there, or changed. */
    public void nodeSeen(String name, Map<String, String> annotations) {
        @Nullable String written = annotations.get(AnnotationKeys.INVENTORY);
        NodeEntry before = NodeEntry.orUnheard(nodes.get(name));
        if (!Reason.UNKNOWN_NODE.equals(before.unusable()) && java.util.Objects.equals(before.written(), written)) {
            return; // a heartbeat: most node events are
        }
        UnaryOperator<NodeEntry> change = switch (InventoryCodec.decode(annotations)) {
            case Decoded.Absent<Inventory>() -> entry -> entry.unusable(Reason.NO_INVENTORY, written);
            case Decoded.Malformed<Inventory>(String reason) -> {
                LOG.warn("node {}: no pod is placed there: {}", name, reason);
                yield entry -> entry.unusable(Reason.BAD_INVENTORY, written);
            }
            case Decoded.Valid<Inventory>(Inventory inventory) -> {
                LOG.info("node {}: {} cards, unit {}", name, inventory.cards().size(), inventory.unit());
                yield entry -> entry.known(inventory, String.valueOf(written));
            }
        };
        changeNode(name, change);
    }

    /** A node is gone. What pods hold there is kept until they are gone too. */
    public void nodeGone(String name) {
        changeNode(name, entry -> entry.unusable(Reason.UNKNOWN_NODE, null));
    }

    /** A pod is there, or changed. */
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
        demands.decode(pod.containers()).valid().ifPresent(demand -> {
            listedUids.put(ref.toString(), ref.uid());
            @Nullable PodEntry before = pods.get(ref.uid());
            Writing writing = Writing.of(pod, demand);
            PodEntry after = changePod(ref.uid(), old -> seen(pod, demand, writing, old));
            if (writing.complaint() != null && (before == null || before.complaint() == null)) {
                LOG.warn(
                        "pod {} on node {}: its cards are not counted as written: {}",
                        ref,
                        pod.node(),
                        after.complaint());
            }
        });
    }

    /** A pod is gone. */
    public void podGone(PodRef ref) {
        release(ref, ref.uid());
    }

    private void release(PodRef name, String uid) {
        listedUids.remove(name.toString(), uid);
        pods.computeIfPresent(uid, (key, old) -> {
            drop(uid, old.hold());
            return null;
        });
    }

    private PodEntry seen(ClusterPod pod, Demand demand, Writing writing, @Nullable PodEntry old) {
        @Nullable Hold held = old == null ? null : old.hold();
        @Nullable Hold now = held;
        if (writing.allocation() != null) {
            now = new Hold(String.valueOf(pod.node()), writing.allocation(), Standing.SEEN, Instant.EPOCH);
        } else if (pod.node() != null
                && held != null
                && (held.assumed() || !held.node().equals(pod.node()))) {
            now = null; // somebody else bound it: node and annotation of our Binding come together
        }
        move(pod.ref(), held, now);
        return new PodEntry(pod.ref(), demand, true, pod.node(), now, writing.complaint());
    }

    // ---- assume, confirm, forget

    /** Reserves cards for that pod on that node, in one atomic step. */
    Assumption assume(PodRef pod, Demand demand, String node, Instant now) {
        Assumption[] result = new Assumption[1];
        pods.compute(pod.uid(), (uid, old) -> {
            PodEntry entry = old == null ? PodEntry.unlisted(pod, demand) : old;
            @Nullable Hold held = entry.hold();
            if (held != null && !held.assumed()) {
                result[0] = new Assumption.Bound(held);
                return entry;
            }
            Assumption assumed = reserve(entry, held, node, now);
            result[0] = assumed;
            return switch (assumed) {
                case Assumption.Assumed(Hold hold, Inventory inventory) -> {
                    if (held != null && !held.node().equals(node)) {
                        drop(uid, held);
                    }
                    yield entry.with(hold);
                }
                case Assumption.Refused refused -> old;
                case Assumption.Bound bound -> old;
            };
        });
        return result[0];
    }

    private Assumption reserve(PodEntry pod, @Nullable Hold held, String node, Instant now) {
        Assumption[] result = new Assumption[1];
        changeNode(node, entry -> {
            if (entry.unusable() != null) {
                result[0] = new Assumption.Refused(entry.unusable());
                return entry;
            }
            Placement placement = held != null && held.node().equals(node)
                    ? new Placement.Placed(held.allocation())
                    : Binpack.place(entry.cards(), pod.demand());
            return switch (placement) {
                case Placement.Refused(var why) -> {
                    result[0] = new Assumption.Refused(Reason.of(why));
                    yield entry;
                }
                case Placement.Placed(Allocation allocation) -> {
                    result[0] = new Assumption.Assumed(
                            new Hold(node, allocation, Standing.ASSUMED, now),
                            entry.cards().inventory());
                    yield entry.with(pod.ref(), allocation);
                }
            };
        });
        return result[0];
    }

    /** The API server said that this assumption came true. */
    void confirm(PodRef pod, Hold assumed, Instant now) {
        pods.computeIfPresent(
                pod.uid(),
                (uid, entry) -> assumed.equals(entry.hold())
                        ? entry.with(new Hold(assumed.node(), assumed.allocation(), Standing.BOUND, now))
                        : entry);
    }

    /**
     * The pod, read from the API server after a call that left doubt, is bound with that allocation. Ignored unless the
     * doubt is still there: what the informer showed meanwhile is newer.
     */
    void confirmAsWritten(PodRef pod, Hold doubtful, String node, Allocation written, Instant now) {
        pods.computeIfPresent(pod.uid(), (uid, entry) -> {
            if (!doubtful.equals(entry.hold())) {
                return entry;
            }
            Hold bound = new Hold(node, written, Standing.BOUND, now);
            move(pod, doubtful, bound);
            return entry.with(bound);
        });
    }

    /** That hold did not come true, or is no more. Ignored if something else is known of the pod by now. */
    void forget(PodRef pod, Hold hold) {
        pods.computeIfPresent(pod.uid(), (uid, entry) -> {
            if (!hold.equals(entry.hold())) {
                return entry;
            }
            drop(uid, hold);
            return entry.listed() ? entry.with(null) : null;
        });
    }

    // ---- what the verbs and people read

    /** Why that node can't take the demand now; null if it can. */
    @Nullable
    Reason refusal(String node, Ask ask) {
        return NodeEntry.orUnheard(nodes.get(node)).refusal(ask);
    }

    /** The summary of that node for scores; empty when nothing can be placed there. */
    Optional<NodeSummary> summary(String node) {
        NodeEntry entry = NodeEntry.orUnheard(nodes.get(node));
        return entry.unusable() == null ? Optional.of(entry.summary()) : Optional.empty();
    }

    /** The entry of that node as it would be without that pod. */
    NodeEntry without(String node, String podUid) {
        return NodeEntry.orUnheard(nodes.get(node)).without(podUid);
    }

    Optional<Hold> hold(String podUid) {
        return entry(podUid).map(PodEntry::hold);
    }

    Optional<PodEntry> entry(String podUid) {
        return Optional.ofNullable(pods.get(podUid));
    }

    /** The pods of which the informer has not yet shown what they hold, since before that moment. */
    List<PodEntry> unseenSince(Instant before) {
        return pods.values().stream()
                .filter(entry -> entry.hold() != null
                        && entry.hold().standing() != Standing.SEEN
                        && entry.hold().since().isBefore(before))
                .toList();
    }

    /** Every node of which something is known, by name. */
    public List<NodeView> nodes() {
        return nodes.entrySet().stream()
                .map(node -> view(node.getKey(), node.getValue()))
                .sorted(Comparator.comparing(NodeView::name))
                .toList();
    }

    public Optional<NodeView> node(String name) {
        return Optional.ofNullable(nodes.get(name)).map(entry -> view(name, entry));
    }

    private static NodeView view(String name, NodeEntry entry) {
        return new NodeView(name, entry.unusable(), entry.cards());
    }

    /** Pods whose cards are known, and how. */
    public int holding(Standing standing) {
        return (int) pods.values().stream()
                .filter(entry -> entry.hold() != null && entry.hold().standing() == standing)
                .count();
    }

    /** Bound pods with a demand of which nothing right says on which card they are. */
    public int unattributed() {
        return (int) pods.values().stream().filter(PodEntry::unattributed).count();
    }

    // ---- steps inside a pod's step

    private void move(PodRef pod, @Nullable Hold from, @Nullable Hold to) {
        if (from != null && (to == null || !from.node().equals(to.node()))) {
            drop(pod.uid(), from);
        }
        boolean same = from != null
                && to != null
                && from.node().equals(to.node())
                && from.allocation().equals(to.allocation());
        if (to != null && !same) {
            changeNode(to.node(), entry -> entry.with(pod, to.allocation()));
        }
    }

    private void drop(String podUid, @Nullable Hold hold) {
        if (hold != null) {
            changeNode(hold.node(), entry -> entry.without(podUid));
        }
    }

    private void changeNode(String name, UnaryOperator<NodeEntry> change) {
        nodes.compute(
                name, (key, entry) -> change.apply(NodeEntry.orUnheard(entry)).kept());
    }

    private PodEntry changePod(String uid, java.util.function.Function<@Nullable PodEntry, PodEntry> change) {
        return pods.compute(uid, (key, old) -> change.apply(old));
    }
}
