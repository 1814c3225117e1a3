package io.gpushare.plugin.part;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.kubernetes.PodEvent;
import io.gpushare.model.PodRef;

/** Records Events of the plugin on pods and on the node, soon. */
@FunctionalInterface
public interface Events {
    /** The program's name in its Events. */
    String COMPONENT = "gpushare-device-plugin";

    /** Records the Event; returns at once. */
    void record(EventSubject about, PodEvent event);

    /** Records that somebody must act. */
    default void warn(EventSubject about, String reason, String message) {
        record(about, new PodEvent(true, COMPONENT, reason, message));
    }

    /** Records on the pod that somebody must act. */
    default void warn(PodRef about, String reason, String message) {
        warn(new EventSubject.Pod(about), reason, message);
    }
}
