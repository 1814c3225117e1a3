package io.gpushare.extender.preemption;

/** Who evicts pods for pods of higher priority that request cards. */
public enum PreemptionMode {
    /** kube-scheduler and, where its preemption does not help, this extender. */
    AUTO,
    /** kube-scheduler only. */
    SCHEDULER,
    /** Nobody. */
    OFF
}
