package io.gpushare.extender.ledger;

import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.PodPriority;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One pod with a demand in the ledger, immutable.
 *
 * @param priority as the informer last showed it
 * @param unschedulable whether kube-scheduler has tried to place the pod and found no node
 * @param listed whether the informer has shown it, and so will say when it is gone
 * @param node where the informer showed it bound; null if not
 * @param holds what it holds, at most one hold a node. It is one hold, but for a pod that was assumed elsewhere after a
 *     Binding without an answer: until one of them is known to be true, each may be
 * @param complaint what is wrong with its annotation, said once in the log
 */
public record PodEntry(
        PodRef ref,
        PodDemand.Valid podDemand,
        PodPriority priority,
        boolean unschedulable,
        boolean listed,
        @Nullable String node,
        List<Holding> holds,
        @Nullable String complaint) {
    public PodEntry {
        holds = List.copyOf(holds);
    }

    /** A pod that kube-scheduler binds before the informer has shown it. */
    static PodEntry unlisted(PodRef ref, PodDemand.Valid podDemand) {
        return new PodEntry(ref, podDemand, PodPriority.DEFAULT, false, false, null, List.of(), null);
    }

    public Demand demand() {
        return podDemand.demand();
    }

    PodEntry with(List<Holding> changed) {
        return new PodEntry(ref, podDemand, priority, unschedulable, listed, node, changed, complaint);
    }

    /** This hold too, instead of another on its node. */
    PodEntry assuming(Holding hold) {
        List<Holding> changed = new ArrayList<>(holds);
        changed.removeIf(other -> other.node().equals(hold.node()));
        changed.add(hold);
        return with(changed);
    }

    Optional<Holding> on(String nodeName) {
        return holds.stream().filter(hold -> hold.node().equals(nodeName)).findFirst();
    }

    /** The hold that is known to be true. */
    Optional<Holding> bound() {
        return holds.stream().filter(hold -> !hold.assumed()).findFirst();
    }

    /** What it holds that nothing has confirmed since before that moment. */
    public List<Holding> unseenSince(Instant before) {
        return holds.stream()
                .filter(hold ->
                        hold.standing() != Holding.Standing.SEEN && hold.since().isBefore(before))
                .toList();
    }

    /** Bound, and nothing says on which card. */
    public boolean unattributed() {
        return node != null && holds.isEmpty();
    }

    /** The entry as the ledger keeps it: null when nothing is left to remember. */
    @Nullable
    PodEntry kept() {
        return listed || !holds.isEmpty() ? this : null;
    }
}
