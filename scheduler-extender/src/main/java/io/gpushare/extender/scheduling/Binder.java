package io.gpushare.extender.scheduling;

import io.gpushare.extender.scheduling.BindResult.Bound;
import io.gpushare.extender.scheduling.BindResult.Failed;
import io.gpushare.extender.scheduling.BindResult.Why;
import io.gpushare.model.Demand;
import io.gpushare.model.Inventory;
import io.gpushare.model.PodRef;
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
    private final Map<String, Running> running = new ConcurrentHashMap<>();

    private record Running(String node, CompletableFuture<BindResult> result) {}

    public Binder(Ledger ledger, DemandCodec demands, PodApi api) {
        this.ledger = ledger;
        this.demands = demands;
        this.api = api;
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
        Optional<PodEntry> known = ledger.entry(pod.uid());
        if (known.isPresent() && known.get().node() != null) {
            return asBound(pod, node, known.get().node(), known.get().hold() != null);
        }
        if (known.isPresent()) {
            return place(pod, known.get().demand(), node, now);
        }
        Optional<ClusterPod> read;
        try {
            read = api.pod(pod.namespace(), pod.name());
        } catch (PodApi.Failure e) {
            return new Failed(Why.REFUSED, said(e));
        }
        if (read.isEmpty() || !read.get().ref().uid().equals(pod.uid())) {
            return noPod(pod, read);
        }
        return switch (demands.decode(read.get().containers())) {
            case Decoded.Absent<Demand>() -> withoutDemand(pod, node, read.get());
            case Decoded.Malformed<Demand>(String sentence) -> new Failed(Why.BAD_DEMAND, sentence);
            case Decoded.Valid<Demand>(Demand demand) ->
                read.get().node() == null
                        ? place(pod, demand, node, now)
                        : asBound(
                                pod,
                                node,
                                String.valueOf(read.get().node()),
                                Writing.of(read.get(), demand).allocation() != null);
        };
    }

    private BindResult place(PodRef pod, Demand demand, String node, Instant now) {
        return switch (ledger.assume(pod, demand, node, now)) {
            case Ledger.Assumption.Refused(Reason why) -> new Failed(Why.NO_ROOM, why.sentence());
            case Ledger.Assumption.Bound(Hold hold) -> asBound(pod, node, hold.node(), true);
            case Ledger.Assumption.Assumed(Hold hold, Inventory inventory) ->
                call(pod, demand, hold, AllocationCodec.annotations(hold.allocation(), inventory, now), now);
        };
    }

    private BindResult call(PodRef pod, Demand demand, Hold hold, Map<String, String> annotations, Instant now) {
        try {
            api.bind(pod, hold.node(), annotations);
        } catch (PodApi.Failure e) {
            if (e.doubtful()) {
                return look(pod, demand, hold, e, now);
            }
            ledger.forget(pod, hold);
            LOG.info("pod {} forgotten on node {}: {}", pod, hold.node(), e.getMessage());
            return new Failed(Why.REFUSED, said(e));
        }
        ledger.confirm(pod, hold, now);
        LOG.info("pod {} bound to node {}, cards {}", pod, hold.node(), cards(hold));
        return new Bound(false);
    }

    /** The Binding's answer leaves doubt: the pod itself tells what became of it. */
    private BindResult look(PodRef pod, Demand demand, Hold hold, PodApi.Failure failure, Instant now) {
        Optional<ClusterPod> read;
        try {
            read = api.pod(pod.namespace(), pod.name());
        } catch (PodApi.Failure e) {
            LOG.warn("pod {} may be bound to node {}; its cards stay assumed: {}", pod, hold.node(), e.getMessage());
            return new Failed(Why.UNKNOWN, said(failure));
        }
        if (read.isEmpty() || !read.get().ref().uid().equals(pod.uid())) {
            ledger.forget(pod, hold);
            return noPod(pod, read);
        }
        ClusterPod now1 = read.get();
        if (now1.node() == null) {
            return notBound(pod, hold, failure);
        }
        Writing writing = Writing.of(now1, demand);
        if (writing.allocation() == null) {
            ledger.forget(pod, hold);
        } else {
            ledger.confirmAsWritten(pod, hold, now1.node(), writing.allocation(), now);
            LOG.info("pod {} found bound to node {} after: {}", pod, now1.node(), failure.getMessage());
        }
        return asBound(pod, hold.node(), now1.node(), writing.allocation() != null);
    }

    private BindResult notBound(PodRef pod, Hold hold, PodApi.Failure failure) {
        if (failure.unanswered()) {
            // The Binding may still be on its way: what it would make true stays reserved until that can't be any more.
            LOG.warn("pod {}: no answer to its Binding to node {}; its cards stay assumed", pod, hold.node());
            return new Failed(Why.UNKNOWN, said(failure));
        }
        ledger.forget(pod, hold);
        LOG.info("pod {} forgotten on node {}: {}", pod, hold.node(), failure.getMessage());
        return new Failed(Why.REFUSED, said(failure));
    }

    /** A pod that asks for neither resource is bound all the same: kube-scheduler leaves it to us if it names one with 0. */
    private BindResult withoutDemand(PodRef pod, String node, ClusterPod read) {
        if (read.node() != null) {
            return asBound(pod, node, read.node(), true);
        }
        try {
            api.bind(pod, node, Map.of());
            return new Bound(false);
        } catch (PodApi.Failure e) {
            return new Failed(e.unanswered() ? Why.UNKNOWN : Why.REFUSED, said(e));
        }
    }

    /** The answer for a pod that is on a node already. */
    private static BindResult asBound(PodRef pod, String asked, String node, boolean allocated) {
        if (!node.equals(asked)) {
            return new Failed(Why.BOUND_OTHERWISE, "pod " + pod + " is already bound to node " + node);
        }
        return allocated
                ? new Bound(true)
                : new Failed(
                        Why.BOUND_OTHERWISE,
                        "pod " + pod + " is already bound to node " + node
                                + ", but not by this extender: no allocation is written on it");
    }

    private static BindResult noPod(PodRef pod, Optional<ClusterPod> read) {
        return new Failed(
                Why.NO_POD,
                read.isEmpty()
                        ? "pod " + pod + " not found"
                        : "pod " + pod + " has uid " + read.get().ref().uid() + ", not " + pod.uid()
                                + ": another pod has that name now");
    }

    private static String said(PodApi.Failure failure) {
        return String.valueOf(failure.getMessage());
    }

    private static String cards(Hold hold) {
        return hold.allocation().memoryCards().isEmpty()
                ? "whole " + hold.allocation().wholeCards()
                : hold.allocation().memoryCards() + ", whole "
                        + hold.allocation().wholeCards();
    }

    /**
     * Asks the API server for the pods whose hold nothing has confirmed since that moment, and keeps or forgets by what it
     * says: for a Binding without an answer, and for a pod that came and went in a gap of the watch. Blocks.
     */
    public void settle(Instant before, Instant now) {
        for (PodEntry entry : ledger.unseenSince(before)) {
            Hold hold = entry.hold();
            if (hold != null && !running.containsKey(entry.ref().uid())) {
                settle(entry, hold, now);
            }
        }
    }

    private void settle(PodEntry entry, Hold hold, Instant now) {
        PodRef pod = entry.ref();
        Optional<ClusterPod> read;
        try {
            read = api.pod(pod.namespace(), pod.name())
                    .filter(found -> found.ref().uid().equals(pod.uid()) && !found.ended());
        } catch (PodApi.Failure e) {
            LOG.warn("pod {}: can't tell yet whether it is on node {}: {}", pod, hold.node(), e.getMessage());
            return;
        }
        Optional<ClusterPod> bound = read.filter(found -> found.node() != null);
        Optional<Writing> writing = bound.map(found -> Writing.of(found, entry.demand()));
        if (writing.isPresent() && writing.get().allocation() != null) {
            ledger.confirmAsWritten(
                    pod, hold, String.valueOf(bound.get().node()), writing.get().allocation(), now);
        } else {
            ledger.forget(pod, hold);
            LOG.info(
                    "pod {} forgotten on node {}: the API server shows it neither bound nor allocated",
                    pod,
                    hold.node());
        }
    }
}
