package io.gpushare.extender.report;

/** Why a pod waits for which kube-scheduler found no node, as far as the ledger can tell. */
public enum WaitReason {
    /** A node has room for it: kube-scheduler has not tried again yet, or something that is not ours keeps the pod away. */
    ROOM,
    /** The cards that would do have as much free together as it asks for, and no node has it as it must be. */
    PIECES,
    /** They have less. */
    FULL,
    /** No node could take it if no other pod were there. */
    NEVER,
    /** What is written on it is wrong, and no node is looked for until that is mended. */
    WRONG
}
