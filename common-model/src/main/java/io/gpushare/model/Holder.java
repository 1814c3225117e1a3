package io.gpushare.model;

/** A consumer of cards in the ledger. Its text form is its name in messages. */
public sealed interface Holder permits PodRef {
    /** The key of its holding: unique over all holders, for as long as they exist. */
    String key();
}
