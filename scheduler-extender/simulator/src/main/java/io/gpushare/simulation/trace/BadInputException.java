package io.gpushare.simulation.trace;

/** A file or an option that can't be used; the message says where and what to do. */
public final class BadInputException extends Exception {
    public BadInputException(String sentence) {
        super(sentence);
    }
}
