package io.gpushare.mps.machine;

/** One thing that the supervisor does. Its effect is seen in the next observation. */
public enum Action {
    /** Lets any process compute on the card. */
    ALLOW_ANY,
    /** Lets only the server of MPS compute on the card. */
    ALLOW_SERVER_ONLY,
    /** Lets no process compute on the card. */
    ALLOW_NONE,
    START_DAEMON,
    /** Sets the process limit for the servers to come, and of the one that runs. */
    SET_LIMIT,
    START_SERVER,
    /** Ends the server and its clients at once. */
    END_SERVER,
    /** Sends the daemon its command to end. */
    QUIT,
    /** Ends the processes of the daemon and its server. */
    KILL
}
