package io.gpushare.extender.cluster;

import io.gpushare.extender.report.WaitingPods;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.AnnotationKeys;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes kube-scheduler look again at waiting pods for which there is room now, by writing an annotation on them: a change of
 * the pod itself is the one event that wakes it in each of its releases. From a thread of its own, one call at a time.
 */
public final class Requeuer {
    private static final Logger LOG = LoggerFactory.getLogger(Requeuer.class);
    private static final Duration LOOK = Duration.ofMillis(250);
    // With thousands of nodes and of kinds of waiting pods a look takes its time; it is to take a fifth at most.
    private static final int REST = 4;
    private static final int NO_TROUBLE = -1;

    private final KubernetesApi api;
    private final WaitingPods waiting;
    private final BooleanSupplier may;
    private final InstantSource clock;
    // The status of the last failure, so that one trouble is told once; 0 for no answer.
    private int trouble = NO_TROUBLE;

    private Requeuer(KubernetesApi api, WaitingPods waiting, BooleanSupplier may, InstantSource clock) {
        this.api = api;
        this.waiting = waiting;
        this.may = may;
        this.clock = clock;
    }

    /**
     * Starts a thread that ends with the process, or when it is interrupted.
     *
     * @param may whether this extender leads and its ledger is current
     */
    public static Thread start(KubernetesApi api, WaitingPods waiting, BooleanSupplier may, InstantSource clock) {
        Requeuer nudger = new Requeuer(api, waiting, may, clock);
        return Thread.ofPlatform().daemon().name("nudger").start(nudger::run);
    }

    private void run() {
        try {
            while (true) {
                long began = System.nanoTime();
                look();
                Duration took = Duration.ofNanos(System.nanoTime() - began).multipliedBy(REST);
                Thread.sleep(took.compareTo(LOOK) < 0 ? LOOK : took);
            }
        } catch (InterruptedException e) {
            LOG.debug("nudger ends");
        }
    }

    private void look() {
        if (!may.getAsBoolean()) {
            return;
        }
        try {
            Instant now = clock.instant();
            List<PodRef> pods = waiting.due(now);
            for (PodRef pod : pods) {
                nudge(pod, now);
            }
        } catch (RuntimeException e) {
            LOG.error("looking for waiting pods failed; it is tried again", e);
        }
    }

    private void nudge(PodRef pod, Instant now) {
        try {
            api.pods().annotate(pod, Map.of(AnnotationKeys.CAPACITY_SEEN, now.toString()));
            trouble = NO_TROUBLE;
        } catch (KubernetesException e) {
            // Gone, or made anew, is no trouble.
            if (e.status() != 404 && e.status() != 409 && e.status() != trouble) {
                trouble = e.status();
                LOG.warn("waiting pods may wait longer than they must: {}", e.getMessage());
            }
        }
    }
}
