package io.gpushare.extender.scheduling;

/** Where kube-scheduler gets the policy's choice. */
public enum DecideIn {
    /** In filter, except for pods whose stated preferences kube-scheduler scores: for these in prioritize. */
    AUTO,
    /** Filter returns only the chosen node. */
    FILTER,
    /** Filter returns every feasible node, and the chosen one has the best score. */
    PRIORITIZE
}
