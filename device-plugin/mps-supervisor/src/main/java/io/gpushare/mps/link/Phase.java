package io.gpushare.mps.link;

/** The state of MPS on one card. */
public enum Phase {
    /** There is no daemon, and any process may compute on the card. */
    OFF,
    /** The daemon and its server are being started. */
    STARTING,
    /** Clients are served, within the limits. */
    READY,
    /** A client's fatal fault ended all clients; the server recovers. */
    FAULTED,
    /** The daemon ended or does not answer; it is started again after a pause. */
    DEAD,
    /** The daemon is being ended, and the card given back. */
    DRAINING,
    /** MPS can't run on the card. No process may compute there while memory pods hold it. */
    BROKEN
}
