package io.gpushare.extender.eviction;

import io.gpushare.kubernetes.Evictions;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.kubernetes.eviction.PodStatusPatch;
import io.gpushare.model.PodRef;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records Events on both pods, and the condition DisruptionTarget on the victim. Best-effort. */
record PreemptionEvents(Evictions api, EventRecorder events, InstantSource wall) {
    private static final Logger LOG = LoggerFactory.getLogger(PreemptionEvents.class);

    /** As kube-scheduler: the uid does not disclose another namespace's names. */
    void preempted(PodRef victim, PodRef preemptor, String node) {
        try {
            String why = "gpushare-schd-extender: preempting to accommodate a higher priority pod";
            api.patch(victim, PodStatusPatch.disrupted(why, wall.instant()));
        } catch (KubernetesException e) {
            LOG.debug("pod {}: {}", victim, e.getMessage());
        }
        events.note(victim, "Preempted", "Preempted by pod " + preemptor.uid() + " on node " + node);
    }

    void preempting(PodRef preemptor, int victims, String node) {
        events.note(
                preemptor,
                "Preempting",
                "Evicted " + victims + (victims == 1 ? " pod" : " pods") + " of lower priority from node " + node
                        + ", whose GPU cards are held for this pod");
    }

    void forbidden(PodRef preemptor) {
        events.note(
                preemptor,
                "PreemptionForbidden",
                "PodDisruptionBudgets forbid the evictions that would free a GPU card for this pod");
    }

    void expired(PodRef preemptor, String node) {
        events.warn(
                preemptor,
                "PreemptionExpired",
                "GPU cards on node " + node + " were held for this pod, but it was not bound there in time: see its"
                        + " other events, and whether the evicted pods have ended");
    }
}
