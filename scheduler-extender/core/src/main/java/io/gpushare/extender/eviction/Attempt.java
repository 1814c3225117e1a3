package io.gpushare.extender.eviction;

/** The outcome of an attempt to evict pods for a waiting pod. */
sealed interface Attempt {
    /** Pods were evicted on that node, whose cards are reserved for the pod. */
    record Evicted(String node) implements Attempt {}

    /** No eviction of pods of lower priority would help it: true of most waiting pods. */
    record NotPossible() implements Attempt {}

    /**
     * Evictions would help it, and none was made.
     *
     * @param why a sentence without an end
     * @param budgets whether PodDisruptionBudgets are the reason
     */
    record Failed(String why, boolean budgets) implements Attempt {

        Failed(String why) {
            this(why, false);
        }
    }
}
