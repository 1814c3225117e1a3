package io.gpushare.extender.http;

/** A request body that does not follow the protocol. The message is sent to the caller. */
public final class BadRequestException extends Exception {
    private static final long serialVersionUID = 1;

    public BadRequestException(String message) {
        super(message);
    }
}
