package io.gpushare.simulated.apiserver;

import io.gpushare.simulated.apiserver.store.ApiError;

/** The way the server treats one request. */
public sealed interface Outcome {

    /** Outcomes without parameters. */
    enum Plain implements Outcome {
        /** The request is executed, with a response. */
        SERVED,
        /** The connection is closed, and nothing is executed. */
        REQUEST_LOST,
        /** The request is executed, and the connection is closed without a response. */
        RESPONSE_LOST,
        /** The request waits for {@link FaultRule#release} and is then served. */
        HELD
    }

    /** A fixed response; nothing is executed. */
    record Reply(int code, String body) implements Outcome {}

    /** A v1 Status as the response; nothing is executed. */
    static Reply refused(int code, String reason, String message) {
        return new Reply(code, ApiError.of(code, reason, message).status().toString());
    }
}
