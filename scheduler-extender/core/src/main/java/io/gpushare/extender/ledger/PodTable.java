package io.gpushare.extender.ledger;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.Holding.Standing;
import io.gpushare.extender.ledger.Reservation.Source;
import io.gpushare.extender.pod.AllocationAnnotation;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.model.Allocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.foreign.ForeignPod;
import io.gpushare.model.ledger.Placement;
import io.gpushare.model.pod.PodState;
import io.gpushare.model.request.HostResourcesCodec;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The ledger's pods with a demand: immutable entries by uid, each replaced atomically together with its nodes. */
final class PodTable {
    private final NodeTable nodes;
    private final HostRequests hostRequests;
    private final Map<String, PodEntry> pods = new ConcurrentHashMap<>();
    // The uid that the informer last showed for "namespace/name". A pod may be created again under its name while the
    // watch is interrupted, and the deletion of the first one missed: its cards must not stay allocated for ever.
    private final Map<String, String> uids = new ConcurrentHashMap<>();
    private final Reservations reservations;
    private final ReservedPods reserved;
    private final ForeignPods foreignPods;

    PodTable(NodeTable nodes, Reservations reservations) {
        this.nodes = nodes;
        this.reservations = reservations;
        this.reserved = new ReservedPods(nodes::entry, reservations, this::entry);
        this.hostRequests = new HostRequests(nodes);
        this.foreignPods = new ForeignPods(nodes);
    }

    /**
     * What the informer's view of a pod changed.
     *
     * @param added whether the informer shows the pod for the first time
     * @param rejection why its annotation is rejected, if that is new; else null
     */
    record Update(boolean added, @Nullable String rejection) {}

    /** What is reserved for pods that wait. */
    ReservedPods reserved() {
        return reserved;
    }

    Optional<PodEntry> entry(String uid) {
        return Optional.ofNullable(pods.get(uid));
    }

    Collection<PodEntry> entries() {
        return pods.values();
    }

    /** The uid that the pod's name had before, if that was another. */
    Optional<String> replaced(PodRef pod) {
        return Optional.ofNullable(uids.get(pod.toString())).filter(uid -> !uid.equals(pod.uid()));
    }

    /** Remembers which pod has the name: a deletion may be missed. */
    void listed(PodRef pod) {
        uids.put(pod.toString(), pod.uid());
    }

    /** Counts the CPU and memory that a bound pod requests, with and without a demand for cards. */
    void countHostRequests(PodState pod) {
        if (pod.node() != null) {
            hostRequests.add(pod.ref(), pod.node(), HostResourcesCodec.requested(pod.containers()));
        }
    }

    /** Remembers what the API server shows as reserved for a waiting pod. */
    void showReservations(PodState pod, PodDemand demand) {
        String uid = pod.ref().uid();
        if (pod.node() == null && !pod.priority().terminating() && demand instanceof PodDemand.Valid) {
            reservations.show(
                    uid,
                    Source.STATUS,
                    shown(Source.STATUS, uid, pod.scheduling().heldNode()));
            reservations.show(
                    uid,
                    Source.NOMINATION,
                    shown(Source.NOMINATION, uid, pod.scheduling().nominatedNode()));
            String before = entry(uid).map(PodEntry::failure).orElse("");
            String failure = pod.scheduling().failure();
            if (!failure.isEmpty() && !failure.equals(before)) {
                reservations.end(uid, Source.FILTER);
            }
        } else {
            reservations.remove(uid);
        }
    }

    private static @Nullable Reservation shown(Source source, String uid, @Nullable String node) {
        return node == null ? null : Reservation.shown(source, uid, node);
    }

    Update update(PodState pod, PodDemand.Valid demand) {
        PodRef ref = pod.ref();
        AllocationAnnotation annotation = AllocationAnnotation.of(pod, demand.demand());
        Update[] update = new Update[1];
        pods.compute(ref.uid(), (uid, old) -> {
            PodEntry now = updated(pod, demand, annotation, old);
            boolean known = old != null && old.complaint() != null;
            update[0] = new Update(old == null || !old.listed(), known ? null : now.complaint());
            return now;
        });
        return update[0];
    }

    private PodEntry updated(
            PodState pod, PodDemand.Valid demand, AllocationAnnotation annotation, @Nullable PodEntry old) {
        List<Holding> held = old == null ? List.of() : old.holdings();
        @Nullable String node = pod.node();
        @Nullable ForeignPod foreign = null;
        List<Holding> now;
        if (demand.foreign()) {
            // They count as kube-scheduler has them now, whatever they were before. What the extender itself assumed
            // stays until the informer shows its Binding.
            now = node == null
                    ? held.stream()
                            .filter(holding -> holding.standing() != Standing.SEEN)
                            .toList()
                    : Stream.ofNullable(annotation.allocation())
                            .map(allocation -> new Holding(node, allocation, Standing.SEEN, Instant.EPOCH))
                            .toList();
        } else if (node == null) {
            now = held;
        } else if (annotation.allocation() != null) {
            now = List.of(annotated(annotation.allocation(), node, old));
        } else {
            // A confirmed holding stays, whatever happened to the annotation. An assumed one does not: node and
            // annotation of the extender's Binding come together, so another program has bound the pod.
            List<Holding> confirmed = held.stream()
                    .filter(holding -> !holding.assumed() && holding.node().equals(node))
                    .toList();
            foreign = old != null && old.foreign() != null
                    ? old.foreign()
                    : confirmed.isEmpty() ? ForeignPods.written(pod, node, demand) : null;
            now = foreign == null ? confirmed : foreignPods.holdings(pod.ref(), node, foreign, confirmed);
        }
        if (old != null && foreign == null) {
            foreignPods.forget(old);
        }
        move(pod.ref(), held, now);
        @Nullable String complaint = annotation.rejection();
        if (complaint == null && !now.isEmpty() && node != null && !demand.foreign()) {
            boolean unchanged = held.stream().anyMatch(now.getFirst()::sameCards);
            boolean doubtful = foreign != null && foreignPods.doubtful(foreign, node);
            complaint = unchanged && old != null
                    ? old.complaint()
                    : doubtful
                            ? null
                            : undoubted(node).contradiction(now.getFirst().counted());
        }
        return new PodEntry(
                pod.ref(),
                demand,
                pod.priority(),
                pod.scheduling().failure(),
                pod.deadline(),
                pod.controller(),
                pod.scheduling().group(),
                true,
                node,
                now,
                foreign,
                complaint);
    }

    /** The node without the pods of which it is unknown which card they have. */
    private NodeEntry undoubted(String node) {
        NodeEntry entry = nodes.entry(node);
        for (String uid : foreignPods.on(node)) {
            if (entry(uid).filter(foreignPods::doubtful).isPresent()) {
                entry = entry.without(uid);
            }
        }
        return entry;
    }

    /** The holding of a pod that is bound to the node with this allocation in its annotation. */
    private static Holding annotated(Allocation allocation, String node, @Nullable PodEntry old) {
        return (old == null ? Optional.<Holding>empty() : old.bound())
                .filter(holding -> holding.node().equals(node) && !ForeignPods.adopts(allocation, holding, old))
                .orElseGet(() -> new Holding(node, allocation, Standing.SEEN, Instant.EPOCH))
                .seen(allocation);
    }

    /**
     * As {@link Ledger#annotated}: by an accepted annotation, or by one that was accepted and that somebody changed.
     */
    boolean annotated(PodState pod, String node, PodDemand.Valid demand) {
        return AllocationAnnotation.of(pod, demand.demand()).allocation() != null
                || ForeignPods.written(pod, node, demand) != null
                || entry(pod.ref().uid())
                        .filter(entry -> !entry.ofOthers())
                        .flatMap(PodEntry::bound)
                        .isPresent();
    }

    /** The pod has no valid demand any more, as where all that it had came from others. */
    void withoutDemand(String uid) {
        pods.computeIfPresent(uid, (_, old) -> {
            if (!old.ofOthers()) {
                return old;
            }
            move(old.ref(), old.holdings(), List.of());
            return null;
        });
    }

    /** The node has another inventory: an index may name another card there. */
    void inventoryChanged(String node) {
        for (String pod : foreignPods.on(node)) {
            pods.computeIfPresent(pod, (uid, entry) -> {
                if (entry.foreign() == null) {
                    return entry;
                }
                List<Holding> now = foreignPods.holdings(entry.ref(), node, entry.foreign(), entry.holdings());
                move(entry.ref(), entry.holdings(), now);
                return entry.with(now);
            });
        }
    }

    /** Forgets the pod with that name and uid. */
    void remove(PodRef name, String uid) {
        hostRequests.remove(name, uid);
        uids.remove(name.toString(), uid);
        reservations.remove(uid);
        pods.computeIfPresent(uid, (key, old) -> {
            move(old.ref(), old.holdings(), List.of());
            foreignPods.forget(old);
            return null;
        });
    }

    /** As {@link Ledger#assume}. */
    Assumption assume(
            PodRef pod, PodDemand.Valid demand, Function<NodeEntry, Placement> choice, String node, Instant now) {
        Assumption[] result = new Assumption[1];
        pods.compute(pod.uid(), (uid, old) -> {
            PodEntry entry = old == null ? PodEntry.unlisted(pod, demand) : old;
            result[0] = entry.bound()
                    .<Assumption>map(Assumption.Bound::new)
                    .orElseGet(() -> reserve(entry, choice, node, now));
            if (result[0] instanceof Assumption.Assumed(Holding holding, var inventory)) {
                hostRequests.add(pod, node, entry.podDemand().host());
                return entry.assuming(holding);
            }
            return old;
        });
        return result[0];
    }

    private Assumption reserve(PodEntry pod, Function<NodeEntry, Placement> choice, String node, Instant now) {
        Assumption[] result = new Assumption[1];
        nodes.change(node, entry -> {
            @Nullable Reason unavailable = entry.unavailable();
            if (unavailable != null) {
                result[0] = new Assumption.Refused(unavailable);
                return entry;
            }
            Optional<Holding> held = pod.on(node);
            Standing standing = held.map(Holding::standing).orElse(Standing.ASSUMED);
            Placement placement = held.<Placement>map(before -> new Placement.Placed(before.allocation()))
                    .orElseGet(() -> chosen(pod, choice, node, entry));
            return switch (placement) {
                case Placement.Refused(var why) -> {
                    result[0] = new Assumption.Refused(Reason.occupied(why));
                    yield entry;
                }
                case Placement.Placed(Allocation allocation) -> {
                    Holding holding = new Holding(node, allocation, standing, now);
                    result[0] = new Assumption.Assumed(holding, entry.cards().inventory());
                    yield entry.with(pod.ref(), allocation);
                }
            };
        });
        return result[0];
    }

    /**
     * The cards that filter promised the pod, if they are still free for it and it requests the same; others if not.
     */
    private Placement chosen(PodEntry pod, Function<NodeEntry, Placement> choice, String node, NodeEntry entry) {
        String uid = pod.ref().uid();
        NodeEntry available =
                reserved.available(node, entry, uid, pod.priority().value());
        return reserved.promised(pod, node, available.cards())
                .<Placement>map(Placement.Placed::new)
                .orElseGet(() -> choice.apply(available));
    }

    /** As {@link Ledger#promise}. */
    void promise(SchedulingPod pod, Function<NodeEntry, Placement> choice, String node, Instant until) {
        String uid = pod.ref().uid();
        nodes.change(node, entry -> {
            // What was promised before counts in this choice as it did when filter named the node.
            if (choice.apply(reserved.available(node, entry, uid, pod.priority()))
                    instanceof Placement.Placed(Allocation allocation)) {
                reservations.put(Reservation.filter(uid, node, allocation, until));
            } else {
                reservations.end(uid, Source.FILTER);
            }
            return entry;
        });
    }

    /** Replaces all holdings of the pod by the confirmed one, unless that assumption is gone. */
    void confirm(PodRef pod, Holding assumed, Holding confirmed) {
        pods.computeIfPresent(pod.uid(), (uid, entry) -> {
            if (!entry.holdings().contains(assumed)) {
                return entry;
            }
            List<Holding> now = List.of(confirmed);
            move(pod, entry.holdings(), now);
            return entry.with(now);
        });
    }

    /** Marks the outcome of that assumption as unknown, unless it is gone. */
    void markUnknown(PodRef pod, Holding assumed) {
        Holding unknown = new Holding(assumed.node(), assumed.allocation(), Standing.DOUBTFUL, assumed.since());
        pods.computeIfPresent(
                pod.uid(), (uid, entry) -> entry.holdings().contains(assumed) ? entry.assuming(unknown) : entry);
    }

    /** Gives up that holding, unless it is gone. */
    void forget(PodRef pod, Holding holding) {
        pods.computeIfPresent(pod.uid(), (uid, entry) -> {
            List<Holding> left = entry.holdings().stream()
                    .filter(other -> !other.equals(holding))
                    .toList();
            move(pod, entry.holdings(), left);
            if (left.isEmpty() && entry.node() == null) {
                hostRequests.remove(pod, pod.uid());
            }
            return entry.with(left).kept();
        });
    }

    /** Updates the nodes from the holder's former holdings to its present ones. */
    private void move(PodRef holder, List<Holding> from, List<Holding> to) {
        for (Holding holding : from) {
            if (to.stream().noneMatch(other -> other.node().equals(holding.node()))) {
                nodes.change(holding.node(), entry -> entry.without(holder.uid()));
            }
        }
        for (Holding holding : to) {
            if (from.stream().noneMatch(holding::sameCards)) {
                nodes.change(holding.node(), entry -> entry.with(holder, holding.counted()));
            }
        }
    }
}
