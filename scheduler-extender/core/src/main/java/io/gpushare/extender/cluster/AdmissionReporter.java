package io.gpushare.extender.cluster;

import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.Pods;
import io.gpushare.model.PodRef;
import io.gpushare.model.pod.PodState;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports which of the bound pods the kubelets admitted, and which they rejected. */
final class AdmissionReporter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AdmissionReporter.class);
    // Further pods are not looked up: that so many vanish at once is no kubelet's doing.
    private static final int MOST_LOOKUPS = 256;

    private final Pods pods;
    private final PlacementOutcomes outcomes;
    private final BlockingQueue<PodRef> vanished = new ArrayBlockingQueue<>(MOST_LOOKUPS);
    private final PeriodicTask lookups = PeriodicTask.onRequest("vanished-pods", Duration.ZERO, this::lookUp);

    AdmissionReporter(Pods pods, PlacementOutcomes outcomes) {
        this.pods = pods;
        this.outcomes = outcomes;
        lookups.start();
    }

    void seen(PodState pod) {
        String uid = pod.ref().uid();
        switch (pod.kubelet().admission()) {
            case PENDING -> {}
            case ADMITTED -> outcomes.admissions().admitted(uid);
            case REJECTED -> outcomes.admissions().rejected(uid);
        }
    }

    /** A pod that was bound just now and is gone before it was admitted is read: it may have ended instead. */
    void gone(PodRef pod) {
        if (outcomes.admissions().awaits(pod.uid())) {
            vanished.offer(pod);
            lookups.runSoon();
        } else {
            outcomes.forget(pod.uid());
        }
    }

    private Duration lookUp() {
        for (@Nullable PodRef pod = vanished.poll(); pod != null; pod = vanished.poll()) {
            lookUp(pod);
        }
        return PeriodicTask.ON_REQUEST;
    }

    private void lookUp(PodRef pod) {
        try {
            pods.read(pod.namespace(), pod.name())
                    .filter(found -> found.ref().uid().equals(pod.uid()))
                    .ifPresent(this::seen);
        } catch (KubernetesException e) {
            LOG.debug("pod {}: unknown whether it was rejected: {}", pod, e.getMessage());
        }
        outcomes.forget(pod.uid());
    }

    @Override
    public void close() {
        lookups.close();
    }
}
