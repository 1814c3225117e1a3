package io.gpushare.extender.eviction;

import java.time.Duration;
import java.util.Objects;

/** The outcome of an attempt to evict pods for a waiting pod. */
sealed interface Attempt {
    /** The cards of that node are held for the pod. */
    record Held(String node, Duration grace) implements Attempt {
        public Held {
            Objects.requireNonNull(node);
            Objects.requireNonNull(grace);
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
