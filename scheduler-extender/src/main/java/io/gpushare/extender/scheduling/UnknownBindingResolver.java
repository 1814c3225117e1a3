package io.gpushare.extender.scheduling;

import io.gpushare.extender.ledger.Holding;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.pod.AllocationAnnotation;
import io.gpushare.extender.pod.ClusterPod;
import io.gpushare.extender.scheduling.BindResult.Bound;
import io.gpushare.extender.scheduling.BindResult.Failed;
import io.gpushare.extender.scheduling.BindResult.Why;
import io.gpushare.model.Allocation;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What to do where a Binding's answer leaves doubt: the pod itself tells what became of it. */
record UnknownBindingResolver(Ledger ledger, PodApi api) {
    private static final Logger LOG = LoggerFactory.getLogger(UnknownBindingResolver.class);

    /** Looks at the pod at once, to answer the bind that failed. */
    BindResult resolve(PodRef pod, Demand demand, Holding hold, PodApi.Failure failure, Instant now) {
        Optional<ClusterPod> read;
        try {
            read = api.pod(pod.namespace(), pod.name());
        } catch (PodApi.Failure e) {
            ledger.doubt(pod, hold);
            LOG.warn("pod {} may be bound to node {}; its cards stay assumed: {}", pod, hold.node(), e.getMessage());
            return new Failed(Why.UNKNOWN, sentence(failure));
        }
        if (read.isEmpty() || !read.get().ref().uid().equals(pod.uid())) {
            ledger.forget(pod, hold);
            return noPod(pod, read);
        }
        @Nullable String node = read.get().node();
        if (node == null) {
            return notBound(pod, hold, failure);
        }
        AllocationAnnotation writing = AllocationAnnotation.of(read.get(), demand);
        if (writing.allocation() == null) {
            ledger.forget(pod, hold);
        } else {
            ledger.confirmAsWritten(pod, hold, node, writing.allocation(), now);
            LOG.info("pod {} found bound to node {} after: {}", pod, node, failure.getMessage());
        }
        return asBound(pod, hold.node(), node, writing.allocation() != null);
    }

    private BindResult notBound(PodRef pod, Holding hold, PodApi.Failure failure) {
        if (failure.unanswered()) {
            // The Binding may still be on its way: what it would make true stays reserved until that can't be any more.
            ledger.doubt(pod, hold);
            LOG.warn("pod {}: no answer to its Binding to node {}; its cards stay assumed", pod, hold.node());
            return new Failed(Why.UNKNOWN, sentence(failure));
        }
        return refused(pod, hold, failure);
    }

    /** This Binding surely did not come true; an earlier one for the same hold still may. */
    BindResult refused(PodRef pod, Holding hold, PodApi.Failure failure) {
        if (!hold.doubtful()) {
            ledger.forget(pod, hold);
        }
        LOG.info("pod {} not bound to node {}: {}", pod, hold.node(), failure.getMessage());
        return new Failed(Why.REFUSED, sentence(failure));
    }

    /** Looks at a pod whose hold nothing has confirmed for long, and keeps or forgets it. */
    void resolve(PodEntry entry, Holding hold, Instant now) {
        PodRef pod = entry.ref();
        Optional<ClusterPod> read;
        try {
            read = api.pod(pod.namespace(), pod.name());
        } catch (PodApi.Failure e) {
            LOG.warn("pod {}: can't tell yet whether it is on node {}: {}", pod, hold.node(), e.getMessage());
            return;
        }
        @Nullable
        ClusterPod found = read.filter(there -> there.ref().uid().equals(pod.uid()) && !there.ended())
                .orElse(null);
        @Nullable String node = found == null ? null : found.node();
        @Nullable
        Allocation written = found == null
                ? null
                : AllocationAnnotation.of(found, entry.demand()).allocation();
        if (node != null && written != null) {
            ledger.confirmAsWritten(pod, hold, node, written, now);
        } else {
            ledger.forget(pod, hold);
            LOG.info("pod {} forgotten on node {}: the API server does not show it there", pod, hold.node());
        }
    }

    /** The answer for a pod that is on a node already. */
    static BindResult asBound(PodRef pod, String asked, String node, boolean allocated) {
        String already = "pod " + pod + " is already bound to node " + node;
        if (!node.equals(asked)) {
            return new Failed(Why.BOUND_OTHERWISE, already);
        }
        return allocated
                ? new Bound(true)
                : new Failed(
                        Why.BOUND_OTHERWISE,
                        already + ", but not by this extender: it has no allocation that fits its containers");
    }

    /** The answer for a pod that is not there under its uid. */
    static BindResult noPod(PodRef pod, Optional<ClusterPod> read) {
        return new Failed(
                Why.NO_POD,
                read.isEmpty()
                        ? "pod " + pod + " not found"
                        : "pod " + pod + " has uid " + read.get().ref().uid() + ", not " + pod.uid()
                                + ": another pod has that name now");
    }

    static String sentence(PodApi.Failure failure) {
        return String.valueOf(failure.getMessage());
    }
}
