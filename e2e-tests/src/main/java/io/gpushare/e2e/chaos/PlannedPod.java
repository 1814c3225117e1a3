package io.gpushare.e2e.chaos;

import io.gpushare.e2e.chaos.check.ContainerRequest;
import java.time.Duration;
import java.util.List;

/**
 * One pod that is to come and to go.
 *
 * @param at when it is created, from the beginning of the run
 * @param name names return: a later order may have the same, and waits until its predecessor's pod is gone
 * @param asks what its containers ask for, one after the other
 * @param life how long it runs; for {@link Ending#IMPATIENT} from its creation on, whatever it does then
 */
record PlannedPod(int number, Duration at, String name, List<ContainerRequest> asks, Ending ending, Duration life) {
    /** How a pod ends. */
    enum Ending {
        /** Deleted while it runs. */
        DELETED,
        /** Its containers end by themselves, and it is deleted some time later. */
        COMPLETES,
        /** Deleted a moment after it was made: while it waits, is bound, is admitted, or starts. */
        IMPATIENT
    }

    PlannedPod {
        asks = List.copyOf(asks);
    }
}
