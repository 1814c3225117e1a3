package io.gpushare.extender.ledger;

import io.gpushare.model.PodRef;

/** Is told, once a pod, of an annotation that is not believed, or can't be true beside the others. */
public interface AnnotationObserver {
    /**
     * That pod's annotation is wrong. Called on the informer's thread: it must not block.
     *
     * @param sentence for the pod's people
     */
    void disbelieved(PodRef pod, String node, String sentence);

    /** Nobody. */
    static AnnotationObserver none() {
        return (pod, node, sentence) -> {};
    }
}
