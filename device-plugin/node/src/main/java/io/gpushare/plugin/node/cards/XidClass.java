package io.gpushare.plugin.node.cards;

/** The remedy for an Xid error: the resolution classes of NVIDIA's catalogue. */
enum XidClass {
    /** No action is needed. */
    IGNORE("no action is needed"),
    /** The program on the card fails, the card stays healthy. */
    RESTART_APP("restart the program; the card is healthy"),
    /** The card accepts no work until it is reset. */
    RESET_CARD("reset the card"),
    /** A reset is not enough. */
    REBOOT_NODE("reboot the node"),
    /** The catalogue has no class for the error, or does not list it: the card counts as unhealthy. */
    UNKNOWN("NVIDIA's catalogue names no remedy");

    private final String remedy;

    XidClass(String remedy) {
        this.remedy = remedy;
    }

    /** The remedy, as a part of a sentence. */
    String remedy() {
        return remedy;
    }

    /** Whether the error makes the card unhealthy: then it accepts no new pods. */
    boolean unhealthy() {
        return switch (this) {
            case IGNORE, RESTART_APP -> false;
            case RESET_CARD, REBOOT_NODE, UNKNOWN -> true;
        };
    }
}
