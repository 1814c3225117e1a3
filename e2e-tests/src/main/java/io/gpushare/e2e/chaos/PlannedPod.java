package io.gpushare.e2e.chaos;

import io.gpushare.e2e.chaos.check.pod.ContainerRequest;
import io.gpushare.e2e.chaos.check.pod.ContainerRequest.Way;
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
    private static final int CLAIMS = 3;

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

    /**
     * How it requests its cards.
     *
     * @param claims whether a third of the pods do by claims; urgent pods do not, as they preempt nobody by them
     */
    Way way(boolean claims) {
        if (number % HAMI == 2) {
            return Way.HAMI;
        }
        // The second term makes up for the urgent ones of the first.
        boolean third = (number % CLAIMS == 0 && !urgent()) || number % (CLAIMS * URGENT) == 10;
        return claims && third ? Way.CLAIMS : Way.RESOURCES;
    }

    /** Whether its programs try to hold more memory than it requests. */
    boolean greedy() {
        return number % GREEDY == 1;
    }
}
