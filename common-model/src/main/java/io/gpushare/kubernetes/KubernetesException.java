package io.gpushare.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.kubernetes.wire.Json;
import org.jspecify.annotations.Nullable;

/** A call that the API server rejected or did not answer. */
public final class KubernetesException extends Exception {
    private static final long serialVersionUID = 1;
    private static final int CONFLICT = 409;
    private static final int INVALID = 422;

    private final int status;

    /** @param status 0 if there was no response */
    public KubernetesException(int status, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.status = status;
    }

    /** A call without a response, or with one that can't be read. */
    static KubernetesException unanswered(String doing, Exception why) {
        return new KubernetesException(0, doing + ": no answer from the API server: " + why.getMessage(), why);
    }

    /**
     * A rejected call.
     *
     * @param body the server's Status, whose message is the only part that a user needs; missing if it sent none
     */
    static KubernetesException rejected(String doing, int status, JsonNode body) {
        // A patch can't change the uid: the server calls another one invalid, unlike in a Binding or a deletion.
        boolean otherObject = status == INVALID
                && body.path("details")
                        .path("causes")
                        .valueStream()
                        .anyMatch(cause -> Json.text(cause, "field").equals("metadata.uid"));
        return otherObject
                ? new KubernetesException(CONFLICT, doing + ": another object has that name now", null)
                : new KubernetesException(status, doing + ": " + status + " " + Json.text(body, "message"), null);
    }

    /** The HTTP status; 0 if there was no response and it is unknown whether the call took effect. */
    public int status() {
        return status;
    }
}
