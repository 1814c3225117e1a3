package io.gpushare.plugin.allocation;

import java.util.Locale;

/** The kinds of reasons for which an Allocate is refused; the sentence beside it says the details. */
public enum RefusalKind {
    /** No pod that is known here waits for this much. */
    NOBODY_WAITS,
    /** Several pods wait for it, with different cards. */
    SEVERAL_WAIT,
    /** The kubelet admits a pod of which the API server has not told. */
    NOT_TOLD,
    /** What the pod asks for, or what is written on it, can't be read. */
    MALFORMED,
    /** What is written on the pod is not what its container asks for, or counts in another unit. */
    NOT_ITS_DEMAND,
    CARD_ABSENT,
    CARD_CORDONED,
    CARD_ILL,
    CARD_IN_USE,
    /** Nothing is written on the pod, and no card has room for it. */
    NO_ROOM;

    /** As metrics name it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
