package io.gpushare.extender.cluster;

import io.gpushare.extender.scheduling.WaitingPods;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.time.Clocks;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes kube-scheduler retry waiting pods that fit now, by writing an annotation on them: a change of the pod itself is
 * the one event that requeues it in every release. Runs on its own thread, one call at a time.
 *
 * <p>kube-scheduler 1.20 retries the pod immediately, 1.33 and newer as soon as its queue is empty: it is bound within
 * 2 s. Releases between wait for the pod's backoff, for at most 10 s ({@code podMaxBackoffSeconds}).
 */
public final class Requeuer {
    private static final Logger LOG = LoggerFactory.getLogger(Requeuer.class);
    private static final Duration PERIOD = Duration.ofMillis(250);
    // With thousands of nodes and waiting demands a round takes long; it uses a fifth of the thread's time at most.
    private static final int REST = 4;
    private static final int NO_FAILURE = -1;

    private final KubernetesApi api;
    private final WaitingPods waiting;
    private final BooleanSupplier ready;
    private final Clocks clocks;
    // The status of the last failure, which is logged once; 0 for no response.
    private int failure = NO_FAILURE;

    private Requeuer(KubernetesApi api, WaitingPods waiting, BooleanSupplier ready, Clocks clocks) {
        this.api = api;
        this.waiting = waiting;
        this.ready = ready;
        this.clocks = clocks;
    }

    /**
     * Starts a task.
     *
     * @param ready whether this extender leads and its ledger is current
     */
    public static PeriodicTask start(KubernetesApi api, WaitingPods waiting, BooleanSupplier ready, Clocks clocks) {
        Requeuer requeuer = new Requeuer(api, waiting, ready, clocks);
        return PeriodicTask.rounds("requeuer", PERIOD, REST, requeuer::requeueDue)
                .start();
    }

    private void requeueDue() {
        if (ready.getAsBoolean()) {
            waiting.due(clocks.steady().instant()).forEach(this::requeue);
        }
    }

    private void requeue(PodRef pod) {
        try {
            api.pods()
                    .annotate(
                            pod,
                            Map.of(
                                    AnnotationKeys.CAPACITY_SEEN,
                                    clocks.wall().instant().toString()));
            failure = NO_FAILURE;
        } catch (KubernetesException e) {
            // The pod was deleted or recreated: no failure.
            if (e.status() != 404 && e.status() != 409 && e.status() != failure) {
                failure = e.status();
                LOG.warn("waiting pods can't be requeued: {}", e.getMessage());
            }
        }
    }
}
