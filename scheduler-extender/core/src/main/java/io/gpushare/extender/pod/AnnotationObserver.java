package io.gpushare.extender.pod;

import io.gpushare.model.PodRef;

/** Is notified, once for each pod, of an allocation annotation that is rejected or contradicts others. */
public interface AnnotationObserver {
    /**
     * The pod's annotation is rejected. Called on the informer's thread: it must not block.
     *
     * @param sentence the reason, for the pod's users
     */
    void rejected(PodRef pod, String node, String sentence);

    /** The pod is bound, and its users should know that of its requests. It must not block. */
    default void noted(PodRef pod, String sentence) {}

    /** An observer that ignores everything. */
    static AnnotationObserver none() {
        return (pod, node, sentence) -> {};
    }
}
