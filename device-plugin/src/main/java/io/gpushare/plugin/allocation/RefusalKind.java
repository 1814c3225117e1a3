package io.gpushare.plugin.allocation;

/** The kind of reason for which an Allocate is refused; a sentence beside it has the details. */
public enum RefusalKind {
    /** No known pod waits for this amount. */
    NO_POD_WAITS("nobody_waits"),
    /** Several pods wait for this amount, with different cards. */
    AMBIGUOUS_CALLER("several_wait"),
    /** The kubelet is admitting a pod that the API server has not reported. */
    POD_UNKNOWN("not_told"),
    /** The pod's requests or its annotation can't be read. */
    MALFORMED("malformed"),
    /** The annotation does not match the container's demand, or counts in another unit. */
    DEMAND_DIFFERS("not_its_demand"),
    CARD_ABSENT("card_absent"),
    CARD_CORDONED("card_cordoned"),
    CARD_UNHEALTHY("card_ill"),
    CARD_IN_USE("card_in_use"),
    /** The card can't hold the container to its share as the operator asks for. */
    NO_ISOLATION("no_isolation"),
    /** The driver names no device file of the card, and the operator chose to list device files. */
    NO_DEVICE_FILE("no_device_file"),
    /** The pod has no annotation, and it fits on no card. */
    NO_FREE_CAPACITY("no_room");

    private final String label;

    RefusalKind(String label) {
        this.label = label;
    }

    /** The value of the label in metrics. */
    public String label() {
        return label;
    }
}
