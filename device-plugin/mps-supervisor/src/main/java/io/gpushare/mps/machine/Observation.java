package io.gpushare.mps.machine;

import java.util.Optional;

/**
 * What the supervisor sees of one card at one moment.
 *
 * @param card whether the card responds
 * @param impossible why MPS can't be started on it now, as a sentence; empty if it can
 * @param mode which processes may compute on it
 * @param daemon the control daemon
 * @param server the server, if there is one
 */
public record Observation(
        boolean card, Optional<String> impossible, Mode mode, Daemon daemon, Optional<Server> server) {
    /** Which processes may compute on the card. */
    public enum Mode {
        ANY,
        SERVER_ONLY,
        NONE,
        /** A MIG instance has no such mode: any process may compute there, at all times. */
        NOT_AVAILABLE;

        /** Whether it has to be set, so that it is as wanted. */
        boolean differsFrom(Mode wanted) {
            return this != wanted && this != NOT_AVAILABLE;
        }
    }

    /** A control daemon. */
    public enum Daemon {
        /** There is none, also none of an earlier supervisor. */
        ABSENT,
        /** It answers. */
        ANSWERING,
        /** Its process lives, and it does not answer. */
        SILENT
    }

    /** The status of a server, by the control daemon's words. */
    public enum Status {
        INITIALIZING,
        ACTIVE,
        FAULT
    }

    /**
     * A server of MPS.
     *
     * @param limited whether the process limit that the plugin wants is in force there
     * @param clients the number of processes that compute
     */
    public record Server(long pid, Status status, boolean limited, int clients) {}

    public Observation {
        if (server.isPresent() && daemon != Daemon.ANSWERING) {
            throw new IllegalArgumentException("only a daemon that answers reports a server");
        }
    }
}
