package io.gpushare.extender.eviction;

import io.gpushare.kubernetes.EventSeries;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.PodEvent;
import io.gpushare.kubernetes.eviction.PodStatusPatch;
import io.gpushare.model.PodRef;
import java.time.Instant;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records Events on both pods, and the condition DisruptionTarget on the victim. Best-effort. */
final class PreemptionEvents {
    private static final Logger LOG = LoggerFactory.getLogger(PreemptionEvents.class);
    private static final String COMPONENT = "gpushare-schd-extender";

    private final KubernetesApi api;
    private final InstantSource wall;

    PreemptionEvents(KubernetesApi api, InstantSource wall) {
        this.api = api;
        this.wall = wall;
    }

    /** As kube-scheduler: the uid does not disclose another namespace's names. */
    void preempted(PodRef victim, PodRef preemptor, String node) {
        Instant now = wall.instant();
        try {
            api.evictions()
                    .patch(
                            victim,
                            PodStatusPatch.disrupted(
                                    COMPONENT + ": preempting to accommodate a higher priority pod", now));
        } catch (KubernetesException e) {
            LOG.debug("pod {}: {}", victim, e.getMessage());
        }
        record(victim, false, "Preempted", "Preempted by pod " + preemptor.uid() + " on node " + node);
    }

    void preempting(PodRef preemptor, int victims, String node) {
        record(
                preemptor,
                false,
                "Preempting",
                "Evicted " + victims + (victims == 1 ? " pod" : " pods") + " of lower priority from node " + node
                        + ", whose GPU cards are held for this pod");
    }

    void forbidden(PodRef preemptor) {
        record(
                preemptor,
                false,
                "PreemptionForbidden",
                "PodDisruptionBudgets forbid the evictions that would free a GPU card for this pod");
    }

    void expired(PodRef preemptor, String node) {
        record(
                preemptor,
                true,
                "PreemptionExpired",
                "GPU cards on node " + node + " were held for this pod, but it was not bound there in time: see its"
                        + " other events, and whether the evicted pods have ended");
    }

    private void record(PodRef pod, boolean warning, String reason, String message) {
        try {
            api.events()
                    .record(pod, new PodEvent(warning, COMPONENT, reason, message), EventSeries.once(wall.instant()));
        } catch (KubernetesException e) {
            LOG.debug("pod {}: {}", pod, e.getMessage());
        }
    }
}
