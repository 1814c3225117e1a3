package io.gpushare.model.node;

/** What keeps a pod from a node, apart from resources. */
public enum NodeMismatch {
    SELECTOR("node's labels don't match the pod's nodeSelector"),
    AFFINITY("node doesn't match the pod's required node affinity"),
    CORDONED("node is cordoned"),
    NOT_READY("node is not ready"),
    TAINT("node has a taint that the pod doesn't tolerate");

    private final String sentence;

    NodeMismatch(String sentence) {
        this.sentence = sentence;
    }

    /** Whether a taint is the reason. */
    public boolean ofTaint() {
        return this == CORDONED || this == NOT_READY || this == TAINT;
    }

    /** A constant sentence without a full stop. */
    public String sentence() {
        return sentence;
    }
}
