package io.gpushare.kubernetes.event;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.kubernetes.PodEvent;
import io.gpushare.model.PodRef;

/** Records Events on pods and on nodes, soon. */
@FunctionalInterface
public interface EventRecorder {
    /** Records the Event; returns at once. */
    void record(EventSubject about, PodEvent event);

    /** Records that somebody must act. */
    default void warn(EventSubject about, String reason, String message) {
        record(about, new PodEvent(true, reason, message));
    }

    /** Records on the pod that somebody must act. */
    default void warn(PodRef about, String reason, String message) {
        warn(new EventSubject.Pod(about), reason, message);
    }

    /** Records on the pod what its owner should know. */
    default void note(PodRef about, String reason, String message) {
        record(new EventSubject.Pod(about), new PodEvent(false, reason, message));
    }
}
