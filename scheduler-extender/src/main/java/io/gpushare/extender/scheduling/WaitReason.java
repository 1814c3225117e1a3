package io.gpushare.extender.scheduling;

/** Why a pod waits for which kube-scheduler found no node, as far as the ledger shows. */
public enum WaitReason {
    /** A node fits: kube-scheduler has not retried yet, or something else than cards keeps the pod away. */
    FITS,
    /**
     * The cards that the pod may have are free to a sufficient amount together, but not as the pod needs them on one
     * node.
     */
    FRAGMENTED,
    /** The cards that the pod may have are free to less than the requested amount. */
    FULL,
    /** No node could take the pod, even when empty. */
    IMPOSSIBLE,
    /** The pod's resources or annotations are invalid. */
    INVALID
}
