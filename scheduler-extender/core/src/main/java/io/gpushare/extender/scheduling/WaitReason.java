package io.gpushare.extender.scheduling;

/** Why a pod waits for which kube-scheduler found no node, as far as the ledger shows. */
public enum WaitReason {
    /** A node that the pod accepts fits: kube-scheduler has not retried yet, or something else keeps the pod away. */
    FITS,
    /**
     * The cards that the pod may have are free to a sufficient amount together, but not as the pod needs them on one
     * node.
     */
    FRAGMENTED,
    /** The cards that the pod may have are free to less than the requested amount. */
    FULL,
    /**
     * The pod accepts no node that could take it: by its selector, its affinity, taints, or because they are cordoned.
     */
    NOT_ACCEPTED,
    /** No node could take the pod, even when empty. */
    IMPOSSIBLE,
    /** The pod's resources or annotations are invalid. */
    INVALID,
    /** A scheduling gate holds the pod: kube-scheduler has not looked for a node yet. */
    GATED
}
