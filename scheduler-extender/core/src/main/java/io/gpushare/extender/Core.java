package io.gpushare.extender;

import io.gpushare.extender.eviction.PodConditions;
import io.gpushare.extender.ledger.ClusterState;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.preemption.PreemptionCounts;
import io.gpushare.extender.scheduling.PodApi;
import io.gpushare.extender.scheduling.WaitingPods;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.event.EventQueue;
import io.gpushare.model.PodRef;
import io.gpushare.time.Clocks;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What the extender publishes to the extension that explains, shows and measures it.
 *
 * @param states the cluster as the ledger counts it now
 * @param node one node of it
 * @param rejectedAnnotations the number of pods whose annotation was rejected, or contradicts other pods
 * @param pods single pods as the API server has them
 * @param outcomes of the placements
 * @param preemptions what this extender evicted for waiting pods
 * @param leads whether this extender leads
 * @param unready why it does not answer kube-scheduler now, as a sentence; empty if it does
 * @param heard the time of the last message from the API server, by resource
 * @param changes the number of changes passed to the ledger, by resource
 * @param behind the time by which the ledger is behind what pods have by claims
 * @param templates the templates of claims that unbound pods name
 * @param events records Events on pods
 */
public record Core(
        KubernetesApi api,
        Clocks clocks,
        Supplier<ClusterState> states,
        Function<String, Optional<ClusterState.NodeView>> node,
        LongSupplier rejectedAnnotations,
        Placer placer,
        PodApi pods,
        PlacementOutcomes outcomes,
        WaitingPods waiting,
        PreemptionCounts preemptions,
        PodConditions conditions,
        BooleanSupplier leads,
        Supplier<Optional<String>> unready,
        Supplier<Map<String, Instant>> heard,
        Supplier<Map<String, Long>> changes,
        Supplier<Duration> behind,
        Supplier<Map<PodRef, List<String>>> templates,
        EventQueue events) {
    /** Whether this extender leads and its ledger is current. */
    public boolean ready() {
        return unready.get().isEmpty();
    }
}
