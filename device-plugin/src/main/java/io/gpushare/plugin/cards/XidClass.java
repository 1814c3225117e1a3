package io.gpushare.plugin.cards;

/** What has to be done after an Xid error: the resolution classes of NVIDIA's catalogue. */
enum XidClass {
    /** Nothing. */
    IGNORE("nothing has to be done"),
    /** The program on the card ends, the card is well. */
    RESTART_APP("the program has to be started anew; the card is well"),
    /** The card takes no more work until it was reset. */
    RESET_CARD("the card has to be reset"),
    /** A reset is not enough. */
    REBOOT_NODE("the node has to be rebooted"),
    /** The catalogue has no class for it, or does not know it: the card is held for ill. */
    UNKNOWN("NVIDIA's catalogue names no remedy");

    private final String remedy;

    XidClass(String remedy) {
        this.remedy = remedy;
    }

    /** What has to be done, as a part of a sentence. */
    String remedy() {
        return remedy;
    }

    /** Whether the card must not be given to new pods. */
    boolean ill() {
        return switch (this) {
            case IGNORE, RESTART_APP -> false;
            case RESET_CARD, REBOOT_NODE, UNKNOWN -> true;
        };
    }
}
