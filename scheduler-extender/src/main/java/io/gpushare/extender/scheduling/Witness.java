package io.gpushare.extender.scheduling;

import io.gpushare.model.PodRef;

/** Is told, once a pod, of an annotation that is not believed, or can't be true beside the others. */
public interface Witness {
    /**
     * That pod's annotation is wrong. Called on the informer's thread: it must not block.
     *
     * @param sentence for the pod's people
     */
    void disbelieved(PodRef pod, String node, String sentence);

    /** Nobody. */
    static Witness none() {
        return (pod, node, sentence) -> {};
    }
}
