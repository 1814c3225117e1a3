package io.gpushare.insight.routes;

/** A request that can't be answered; the message says why, and what to do. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;
    private final int status;

    RefusedException(int status, String message) {
        super(message);
        this.status = status;
    }

    int status() {
        return status;
    }
}
