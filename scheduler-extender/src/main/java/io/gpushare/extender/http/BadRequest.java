package io.gpushare.extender.http;

/** A body that is not what the protocol has there; the message goes back to the caller. */
final class BadRequest extends Exception {
    private static final long serialVersionUID = 1;

    BadRequest(String message) {
        super(message);
    }
}
