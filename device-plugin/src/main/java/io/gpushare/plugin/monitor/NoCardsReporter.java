package io.gpushare.plugin.monitor;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.kubernetes.PodEvent;
import io.gpushare.model.card.NoCards;
import io.gpushare.plugin.cluster.PodEventRecorder;
import java.util.function.BiConsumer;

/** Records an Event on a node that offers no cards. */
public record NoCardsReporter(EventSubject.Node node, BiConsumer<EventSubject, PodEvent> events) {
    private static final String REASON = "GpuNoCards";

    /** Reports the reason; repeated reports are combined. */
    public void report(NoCards why) {
        events.accept(node, new PodEvent(true, PodEventRecorder.COMPONENT, REASON, "This node has " + why.sentences()));
    }
}
