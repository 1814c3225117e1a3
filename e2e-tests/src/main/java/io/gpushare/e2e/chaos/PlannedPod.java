package io.gpushare.e2e.chaos;

import io.gpushare.e2e.chaos.check.pod.ContainerRequest;
import java.time.Duration;
import java.util.List;

/**
 * A pod of the plan.
 *
 * @param at the time of its creation, counted from the beginning of the run
 * @param name not unique: a later pod of the same name is created after the earlier one is gone
 * @param requests the requests of its containers, in order
 * @param life how long it runs; for {@link Ending#IMPATIENT} counted from its creation, whatever its phase
 */
record PlannedPod(int number, Duration at, String name, List<ContainerRequest> requests, Ending ending, Duration life) {
    /** How a pod ends. */
    enum Ending {
        /** Deleted while it runs. */
        DELETED,
        /** Its containers exit by themselves, and it is deleted some time later. */
        COMPLETES,
        /** Deleted shortly after its creation: while it waits, is bound, is admitted, or starts. */
        IMPATIENT
    }

    private static final int URGENT = 8;
    private static final int GREEDY = 3;
    private static final int HAMI = 3;

    PlannedPod {
        requests = List.copyOf(requests);
    }

    /** Whether it may preempt the others. */
    boolean urgent() {
        return urgent(number);
    }

    /** Whether the pod with that number may preempt the others. */
    static boolean urgent(int number) {
        return number % URGENT == 0;
    }

    /** Whether it requests its cards in HAMi's words. */
    boolean hami() {
        return number % HAMI == 2;
    }

    /** Whether its programs try to hold more memory than it requests. */
    boolean greedy() {
        return number % GREEDY == 1;
    }
}
