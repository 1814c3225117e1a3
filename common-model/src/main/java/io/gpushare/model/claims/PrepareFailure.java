package io.gpushare.model.claims;

import io.gpushare.model.PodRef;
import java.time.Instant;

/**
 * What a kubelet says of a pod whose claims the drivers of its node do not prepare. It tries again for ever.
 *
 * @param event the uid of its Event
 * @param message empty for an Event that no kubelet wrote
 * @param since when it said so first
 */
public record PrepareFailure(String event, PodRef pod, String message, Instant since) {
    /** The reason of the kubelet's Events. */
    public static final String REASON = "FailedPrepareDynamicResources";

    /** The same without what it says. */
    public PrepareFailure identity() {
        return new PrepareFailure(event, pod, "", Instant.EPOCH);
    }

    /** A sentence for the owner of the pod, without a full stop. */
    public String sentence() {
        return "since " + since + " its node does not prepare its claims: " + message;
    }
}
