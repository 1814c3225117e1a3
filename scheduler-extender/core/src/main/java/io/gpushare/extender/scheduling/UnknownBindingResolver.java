package io.gpushare.extender.scheduling;

import io.gpushare.extender.ledger.Holding;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.pod.AllocationAnnotation;
import io.gpushare.extender.scheduling.BindResult.Bound;
import io.gpushare.extender.scheduling.BindResult.Failed;
import io.gpushare.extender.scheduling.BindResult.Why;
import io.gpushare.model.Allocation;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.pod.PodState;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Resolves Bindings with unknown outcome by reading the pod. */
record UnknownBindingResolver(Ledger ledger, PodApi api) {
    private static final Logger LOG = LoggerFactory.getLogger(UnknownBindingResolver.class);

    /** Reads the pod at once, for the response to the bind that failed. */
    BindResult resolve(PodRef pod, Demand demand, Holding holding, PodApi.Failure failure, Instant now) {
        Optional<PodState> read;
        try {
            read = api.pod(pod.namespace(), pod.name());
        } catch (PodApi.Failure e) {
            ledger.markUnknown(pod, holding);
            LOG.warn("pod {} may be bound to node {}; its cards stay assumed: {}", pod, holding.node(), e.getMessage());
            return new Failed(Why.UNKNOWN, sentence(failure));
        }
        if (read.isEmpty() || !read.get().ref().uid().equals(pod.uid())) {
            ledger.forget(pod, holding);
            return noPod(pod, read);
        }
        @Nullable String node = read.get().node();
        if (node == null) {
            return notBound(pod, holding, failure);
        }
        AllocationAnnotation annotation = AllocationAnnotation.of(read.get(), demand);
        if (annotation.allocation() == null) {
            ledger.forget(pod, holding);
        } else {
            ledger.confirmAsWritten(pod, holding, node, annotation.allocation(), now);
            LOG.info("pod {} found bound to node {} after: {}", pod, node, failure.getMessage());
        }
        return asBound(pod, holding.node(), node, annotation.allocation() != null);
    }

    private BindResult notBound(PodRef pod, Holding holding, PodApi.Failure failure) {
        if (failure.unanswered()) {
            // The Binding may still take effect: its cards stay reserved until that is impossible.
            ledger.markUnknown(pod, holding);
            LOG.warn("pod {}: no response to its Binding to node {}; its cards stay assumed", pod, holding.node());
            return new Failed(Why.UNKNOWN, sentence(failure));
        }
        return refused(pod, holding, failure);
    }

    /** This Binding certainly failed; an earlier one for the same holding may still take effect. */
    BindResult refused(PodRef pod, Holding holding, PodApi.Failure failure) {
        if (!holding.outcomeUnknown()) {
            ledger.forget(pod, holding);
        }
        LOG.info("pod {} not bound to node {}: {}", pod, holding.node(), failure.getMessage());
        return new Failed(Why.REFUSED, sentence(failure));
    }

    /** Reads a pod whose holding is unconfirmed for long, and keeps or forgets the holding. */
    void resolve(PodEntry entry, Holding holding, Instant now) {
        PodRef pod = entry.ref();
        Optional<PodState> read;
        try {
            read = api.pod(pod.namespace(), pod.name());
        } catch (PodApi.Failure e) {
            LOG.warn("pod {}: unknown whether it is bound to node {}: {}", pod, holding.node(), e.getMessage());
            return;
        }
        @Nullable
        PodState found = read.filter(there -> there.ref().uid().equals(pod.uid()) && !there.ended())
                .orElse(null);
        @Nullable String node = found == null ? null : found.node();
        @Nullable
        Allocation written = found == null
                ? null
                : AllocationAnnotation.of(found, entry.demand()).allocation();
        if (node != null && written != null) {
            ledger.confirmAsWritten(pod, holding, node, written, now);
        } else {
            ledger.forget(pod, holding);
            LOG.info("pod {} forgotten on node {}: the API server does not show it there", pod, holding.node());
        }
    }

    /** The result for a pod that is already bound. */
    static BindResult asBound(PodRef pod, String requested, String node, boolean allocated) {
        String already = "pod " + pod + " is already bound to node " + node;
        if (!node.equals(requested)) {
            return new Failed(Why.BOUND_OTHERWISE, already);
        }
        return allocated
                ? new Bound(true)
                : new Failed(
                        Why.BOUND_OTHERWISE,
                        already + ", but not by this extender: it has no allocation that fits its containers");
    }

    /** The result for a pod that does not exist under its uid. */
    static BindResult noPod(PodRef pod, Optional<PodState> read) {
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
