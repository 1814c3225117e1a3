package io.gpushare.extender.scheduling;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.Assumption;
import io.gpushare.extender.ledger.Holding;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.pod.AllocationAnnotation;
import io.gpushare.extender.pod.ClusterPod;
import io.gpushare.extender.pod.PodSpecSummary;
import io.gpushare.extender.scheduling.BindResult.Bound;
import io.gpushare.extender.scheduling.BindResult.Failed;
import io.gpushare.extender.scheduling.BindResult.Why;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.codec.DemandCodec;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The verb bind: assume, one Binding, then confirm or forget.
 *
 * <p>It may be repeated at will: kube-scheduler gives up after its timeout and asks again while the first call still
 * runs. One bind of a pod runs at a time; whoever asks meanwhile for the same node gets its result.
 */
public final class Binder {
    private static final Logger LOG = LoggerFactory.getLogger(Binder.class);

    private final Ledger ledger;
    private final DemandCodec demands;
    private final PodApi api;
    private final UnknownBindingResolver doubt;
    private final Map<String, Running> running = new ConcurrentHashMap<>();

    private record Running(String node, CompletableFuture<BindResult> result) {}

    public Binder(Ledger ledger, DemandCodec demands, PodApi api) {
        this.ledger = ledger;
        this.demands = demands;
        this.api = api;
        this.doubt = new UnknownBindingResolver(ledger, api);
    }

    /** Binds that pod to that node; blocks for the calls that it takes. */
    public BindResult bind(PodRef pod, String node, Instant now) {
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
        BindResult result = new Failed(Why.UNKNOWN, "the extender failed inside; see its log");
        try {
            result = once(pod, node, now);
        } finally {
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
            return place(pod, known.get().wanted(), node, now);
        }
        Optional<ClusterPod> read;
        try {
            read = api.pod(pod.namespace(), pod.name());
        } catch (PodApi.Failure e) {
            return new Failed(Why.REFUSED, UnknownBindingResolver.said(e));
        }
        if (read.isEmpty() || !read.get().ref().uid().equals(pod.uid())) {
            return UnknownBindingResolver.noPod(pod, read);
        }
        return unlisted(pod, read.get(), node, now);
    }

    /** A pod that kube-scheduler saw before our informer did. */
    private BindResult unlisted(PodRef pod, ClusterPod read, String node, Instant now) {
        return switch (read.demand(demands)) {
            case Decoded.Malformed<Demand>(String sentence) -> new Failed(Why.BAD_DEMAND, sentence);
            case Decoded.Absent<Demand>() ->
                read.node() == null
                        ? withoutDemand(pod, node)
                        : UnknownBindingResolver.asBound(pod, node, read.node(), true);
            case Decoded.Valid<Demand>(Demand demand) ->
                read.node() == null
                        ? place(pod, ledger.wanted(demand, read.containers(), read.annotations()), node, now)
                        : UnknownBindingResolver.asBound(
                                pod,
                                node,
                                read.node(),
                                AllocationAnnotation.of(read, demand).allocation() != null);
        };
    }

    private BindResult place(PodRef pod, PodSpecSummary wanted, String node, Instant now) {
        return switch (ledger.assume(pod, wanted, node, now)) {
            case Assumption.Refused(Reason why) -> new Failed(Why.NO_ROOM, why.sentence());
            case Assumption.Bound(Holding hold) -> UnknownBindingResolver.asBound(pod, node, hold.node(), true);
            case Assumption.Assumed(Holding hold, Inventory inventory) ->
                call(pod, wanted.demand(), hold, AllocationCodec.annotations(hold.allocation(), inventory, now), now);
        };
    }

    private BindResult call(PodRef pod, Demand demand, Holding hold, Map<String, String> annotations, Instant now) {
        try {
            api.bind(pod, hold.node(), annotations);
        } catch (PodApi.Failure e) {
            if (e.doubtful()) {
                return doubt.look(pod, demand, hold, e, now);
            }
            return doubt.refused(pod, hold, e);
        }
        ledger.confirm(pod, hold, now);
        LOG.info(
                "pod {} bound to node {}: {}",
                pod,
                hold.node(),
                hold.allocation().cards().stream()
                        .map(card -> card + (hold.allocation().shareOn(card).wholeCards() > 0 ? " (whole)" : ""))
                        .toList());
        return new Bound(false);
    }

    /** A pod that asks for neither resource: kube-scheduler leaves it to us all the same if it names one with 0. */
    private BindResult withoutDemand(PodRef pod, String node) {
        try {
            api.bind(pod, node, Map.of());
            return new Bound(false);
        } catch (PodApi.Failure e) {
            return new Failed(e.unanswered() ? Why.UNKNOWN : Why.REFUSED, UnknownBindingResolver.said(e));
        }
    }

    /**
     * Asks the API server for the pods whose hold nothing has confirmed since that moment, and keeps or forgets by what it
     * says: for a Binding without an answer, and for a pod that came and went in a gap of the watch. Blocks.
     */
    public void settle(Instant before, Instant now) {
        for (PodEntry entry : ledger.unseenSince(before)) {
            if (!running.containsKey(entry.ref().uid())) {
                entry.unseenSince(before).forEach(hold -> doubt.settle(entry, hold, now));
            }
        }
    }
}
