package io.gpushare.extender.ledger;

import io.gpushare.extender.pod.NodeDemand;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.model.Demand;
import io.gpushare.model.PodController;
import io.gpushare.model.PodRef;
import io.gpushare.model.foreign.ForeignPod;
import io.gpushare.model.pod.PodPriority;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One pod with a demand in the ledger. Immutable.
 *
 * @param priority as the informer last showed it
 * @param failure what kube-scheduler last wrote about a failed attempt to place it; empty for nothing
 * @param deadline when it will have ended at the latest: it is being deleted, or has a deadline of its own; null for
 *     never
 * @param controller null for a pod that no controller would create again
 * @param group its PodGroup, of which kube-scheduler may bind minCount pods or none; null for none
 * @param listed whether the informer has shown it, and so will report its deletion
 * @param node the node to which it is bound, by the informer; null if it is not bound
 * @param holdings its holdings, at most one on each node. There are several only if a Binding got no response and
 *     the pod was then assumed elsewhere: until one is confirmed, each may be true
 * @param foreign what another scheduler wrote on it, while only that says which cards it may hold; else null
 * @param complaint why its annotation is rejected or contradicts others; null if it does not
 */
public record PodEntry(
        PodRef ref,
        PodDemand.Valid podDemand,
        PodPriority priority,
        String failure,
        @Nullable Instant deadline,
        @Nullable PodController controller,
        @Nullable String group,
        boolean listed,
        @Nullable String node,
        List<Holding> holdings,
        @Nullable ForeignPod foreign,
        @Nullable String complaint) {
    public PodEntry {
        holdings = List.copyOf(holdings);
    }

    /** A pod that is bound before the informer has shown it. */
    static PodEntry unlisted(PodRef ref, PodDemand.Valid podDemand) {
        return new PodEntry(
                ref, podDemand, PodPriority.DEFAULT, "", null, null, null, false, null, List.of(), null, null);
    }

    public Demand demand() {
        return podDemand.demand();
    }

    /** Whether others give it its cards, and the extender decides nothing for it. */
    public boolean ofOthers() {
        return podDemand.foreign();
    }

    /** What it requires of one node. */
    public NodeDemand onNode() {
        return podDemand.onNode();
    }

    PodEntry with(List<Holding> changed) {
        return new PodEntry(
                ref,
                podDemand,
                priority,
                failure,
                deadline,
                controller,
                group,
                listed,
                node,
                changed,
                foreign,
                complaint);
    }

    /** Adds a holding, which replaces another on the same node. */
    PodEntry assuming(Holding holding) {
        List<Holding> changed = new ArrayList<>(holdings);
        changed.removeIf(other -> other.node().equals(holding.node()));
        changed.add(holding);
        return with(changed);
    }

    Optional<Holding> on(String nodeName) {
        return holdings.stream()
                .filter(holding -> holding.node().equals(nodeName))
                .findFirst();
    }

    /** The confirmed holding. */
    Optional<Holding> bound() {
        return holdings.stream().filter(holding -> !holding.assumed()).findFirst();
    }

    /** The holdings that nothing has confirmed since before that moment. */
    public List<Holding> unconfirmedSince(Instant before) {
        return holdings.stream()
                .filter(holding -> holding.standing() != Holding.Standing.SEEN
                        && holding.since().isBefore(before))
                .toList();
    }

    /** Whether the pod is bound without a valid allocation. */
    public boolean unattributed() {
        return node != null && holdings.isEmpty();
    }

    /** This entry, or null if there is nothing to keep. */
    @Nullable
    PodEntry kept() {
        return listed || !holdings.isEmpty() ? this : null;
    }
}
