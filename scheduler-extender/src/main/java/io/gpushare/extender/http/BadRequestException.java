package io.gpushare.extender.http;

/** A body that is not what the protocol has there; the message goes back to the caller. */
public final class BadRequestException extends Exception {
    private static final long serialVersionUID = 1;

    public BadRequestException(String message) {
        super(message);
    }
}
