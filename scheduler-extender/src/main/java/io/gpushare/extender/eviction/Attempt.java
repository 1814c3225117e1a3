package io.gpushare.extender.eviction;

import java.util.Objects;

/** The outcome of an attempt to evict pods for a waiting pod. */
sealed interface Attempt {
    /** Pods were evicted on that node, whose cards are reserved for the pod. */
    record Evicted(String node) implements Attempt {
        public Evicted {
            Objects.requireNonNull(node);
        }
    }

    /** No eviction of pods of lower priority would help it: true of most waiting pods. */
    record NotPossible() implements Attempt {}

    /**
     * Evictions would help it, and none was made.
     *
     * @param why a sentence without an end
     * @param budgets whether PodDisruptionBudgets are the reason
     */
    record Failed(String why, boolean budgets) implements Attempt {
        public Failed {
            Objects.requireNonNull(why);
        }

        Failed(String why) {
            this(why, false);
        }
    }
}
