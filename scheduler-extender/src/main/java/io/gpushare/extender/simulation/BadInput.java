package io.gpushare.extender.simulation;

/** A file or an option that can't be used; the message says where and what to do. */
public final class BadInput extends Exception {
    public BadInput(String sentence) {
        super(sentence);
    }
}
