package io.gpushare.extender.cluster;

import io.gpushare.extender.pod.AnnotationObserver;
import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.model.PodRef;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records an Event on a pod whose annotation is rejected, or whose requests have another effect than its users may
 * expect.
 */
public record AnnotationEvents(EventRecorder events) implements AnnotationObserver {
    private static final Logger LOG = LoggerFactory.getLogger(AnnotationEvents.class);

    @Override
    public void rejected(PodRef pod, String node, String sentence) {
        LOG.warn("pod {} on node {}: {}", pod, node, sentence);
        events.warn(pod, "GpuAllocationDisbelieved", "Node " + node + ": " + sentence + ".");
    }

    @Override
    public void noted(PodRef pod, String sentence) {
        events.note(pod, "GpuRequestChanged", Character.toUpperCase(sentence.charAt(0)) + sentence.substring(1) + ".");
    }
}
