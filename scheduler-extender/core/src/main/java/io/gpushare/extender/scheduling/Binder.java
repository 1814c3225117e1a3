package io.gpushare.extender.scheduling;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.Assumption;
import io.gpushare.extender.ledger.Holding;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.AllocationAnnotation;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.scheduling.BindResult.Bound;
import io.gpushare.extender.scheduling.BindResult.Failed;
import io.gpushare.extender.scheduling.BindResult.Why;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.pod.PodState;
import io.gpushare.time.Machine;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The verb bind: assume, one Binding, then confirm or forget.
 *
 * <p>Bind is idempotent: kube-scheduler times out and calls again while the first call still runs. One bind of a pod
 * runs at a time; a concurrent call for the same node gets its result.
 */
public final class Binder {
    private static final Logger LOG = LoggerFactory.getLogger(Binder.class);

    private final Placer placer;
    private final Ledger ledger;
    private final PodApi api;
    private final PlacementOutcomes outcomes;
    private final InstantSource wall;
    private final UnknownBindingResolver resolver;
    private final Map<String, Running> running = new ConcurrentHashMap<>();

    private record Running(String node, CompletableFuture<BindResult> result) {}

    /**
     * Binds with that API.
     *
     * @param outcomes of earlier placements, to which each bind is added
     * @param wall the time of day, which the annotations of a bound pod show
     */
    public Binder(Placer placer, PodApi api, PlacementOutcomes outcomes, InstantSource wall) {
        this.placer = placer;
        this.ledger = placer.ledger();
        this.api = api;
        this.outcomes = outcomes;
        this.wall = wall;
        this.resolver = new UnknownBindingResolver(ledger, api);
    }

    /**
     * Binds the pod to the node. Blocks on the API calls, and until the cards are settled.
     *
     * @param now by the clock that {@link #resolveUnknown} uses, which must never step
     */
    public BindResult bind(PodRef pod, String node, Instant now) {
        outcomes.attempts().forget(pod.uid());
        while (true) {
            Running mine = new Running(node, new CompletableFuture<>());
            Running other = running.putIfAbsent(pod.uid(), mine);
            if (other == null) {
                return run(pod, node, now, mine);
            }
            BindResult theirs = other.result().join();
            if (other.node().equals(node)) {
                return theirs;
            }
        }
    }

    private BindResult run(PodRef pod, String node, Instant now, Running mine) {
        BindResult result = new Failed(Why.UNKNOWN, "internal error of the extender; see its log");
        try {
            result = once(pod, node, now);
        } finally {
            ledger.endFilterReservation(pod.uid());
            running.remove(pod.uid(), mine);
            mine.result().complete(result);
        }
        return result;
    }

    private BindResult once(PodRef pod, String node, Instant now) {
        Optional<PodEntry> known = ledger.podEntry(pod.uid());
        if (known.isPresent() && known.get().node() != null) {
            return UnknownBindingResolver.asBound(
                    pod, node, known.get().node(), !known.get().unattributed());
        }
        if (known.isPresent()) {
            return place(pod, known.get().podDemand(), node, now);
        }
        Optional<PodState> read;
        try {
            read = api.pod(pod.namespace(), pod.name());
        } catch (PodApi.Failure e) {
            return new Failed(Why.REFUSED, UnknownBindingResolver.sentence(e));
        }
        if (read.isEmpty() || !read.get().ref().uid().equals(pod.uid())) {
            return UnknownBindingResolver.noPod(pod, read);
        }
        return unlisted(pod, read.get(), node, now);
    }

    /** Binds a pod that kube-scheduler saw before the extender's informer did. */
    private BindResult unlisted(PodRef pod, PodState read, String node, Instant now) {
        PodDemand demand = ledger.demand(read);
        @Nullable String bound = read.node();
        return switch (demand) {
            case PodDemand.Invalid(String sentence) -> new Failed(Why.INVALID_DEMAND, sentence);
            case PodDemand.NoGpu(PodRequest _, boolean named)
            when !named ->
                new Failed(
                        Why.INVALID_DEMAND,
                        "pod " + pod
                                + " names no GPU resource: the extender binds only pods that do; let kube-scheduler"
                                + " bind this pod, or check managedResources in its configuration");
            case PodDemand.NoGpu _ ->
                bound == null ? bindWithoutCards(pod, node) : UnknownBindingResolver.asBound(pod, node, bound, true);
            case PodDemand.Valid valid ->
                bound == null
                        ? place(pod, valid, node, now)
                        : UnknownBindingResolver.asBound(
                                pod,
                                node,
                                bound,
                                AllocationAnnotation.of(read, valid.demand()).allocation() != null);
        };
    }

    private BindResult place(PodRef pod, PodDemand.Valid demand, String node, Instant now) {
        if (!holds(pod, node) && !outcomes.admissions().admits(pod, node)) {
            return new Failed(Why.NO_CAPACITY, Reason.BACKING_OFF.sentence());
        }
        return switch (placer.assume(pod, demand, node, now)) {
            case Assumption.Refused(Reason why) -> new Failed(Why.NO_CAPACITY, why.sentence());
            case Assumption.Bound(Holding holding) -> UnknownBindingResolver.asBound(pod, node, holding.node(), true);
            case Assumption.Assumed(Holding holding, Inventory inventory) -> {
                awaitSettled(holding);
                yield call(
                        pod,
                        demand.demand(),
                        holding,
                        AllocationCodec.annotations(
                                holding.allocation(), inventory, node, demand.containers(), wall.instant()),
                        now);
            }
        };
    }

    /** Waits until the kubelet offers cards that another pod has just left. */
    private void awaitSettled(Holding holding) {
        try {
            Machine.here().pause(outcomes.left().settlesIn(holding.node(), holding.allocation()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // this process ends, and the call fails
        }
    }

    /** Whether an earlier call has assumed the pod on the node. */
    private boolean holds(PodRef pod, String node) {
        return ledger.podEntry(pod.uid()).stream()
                .flatMap(entry -> entry.holdings().stream())
                .anyMatch(holding -> holding.node().equals(node));
    }

    private BindResult call(PodRef pod, Demand demand, Holding holding, Map<String, String> annotations, Instant now) {
        outcomes.admissions().bound(pod, holding.node());
        try {
            api.bind(pod, holding.node(), annotations);
        } catch (PodApi.Failure e) {
            if (e.unknownOutcome()) {
                return resolver.resolve(pod, demand, holding, e, now);
            }
            return resolver.refused(pod, holding, e);
        }
        ledger.confirm(pod, holding, now);
        LOG.info(
                "pod {} bound to node {}: {}",
                pod,
                holding.node(),
                holding.allocation().cards().stream()
                        .map(card -> card + (holding.allocation().shareOn(card).takenWhole() > 0 ? " (whole)" : ""))
                        .toList());
        return new Bound(false);
    }

    /** Binds a pod that requests 0 of a GPU resource: kube-scheduler delegates it to the extender all the same. */
    private BindResult bindWithoutCards(PodRef pod, String node) {
        try {
            api.bind(pod, node, Map.of());
            return new Bound(false);
        } catch (PodApi.Failure e) {
            return new Failed(e.unanswered() ? Why.UNKNOWN : Why.REFUSED, UnknownBindingResolver.sentence(e));
        }
    }

    /**
     * Reads each pod with a holding that is not confirmed since before that moment, and keeps or forgets the holding.
     * This resolves unknown bindings, and pods that were created and deleted in a gap of the watch. Blocks on the API
     * calls.
     */
    public void resolveUnknown(Instant before, Instant now) {
        for (PodEntry entry : ledger.unconfirmedSince(before)) {
            if (!running.containsKey(entry.ref().uid())) {
                entry.unconfirmedSince(before).forEach(holding -> resolver.resolve(entry, holding, now));
            }
        }
    }
}
