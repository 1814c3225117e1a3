package io.gpushare.e2e.card.node;

/** Ends a part that this machine does not allow. */
public final class SkippedException extends Exception {
    private static final long serialVersionUID = 1;

    public SkippedException(String reason) {
        super(reason);
    }
}
