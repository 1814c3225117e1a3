package io.gpushare.plugin.node.container;

/** The kind of reason for which an Allocate is refused; a sentence beside it has the details. */
public enum RefusalKind {
    /** No known pod waits for this amount. */
    NO_POD_WAITS,
    /** Several pods wait for this amount, with different cards. */
    AMBIGUOUS_CALLER,
    /** The kubelet is admitting a pod that the API server has not reported. */
    POD_UNKNOWN,
    /** The pod's requests or its annotation can't be read. */
    MALFORMED,
    /** The annotation does not match the container's demand, or counts in another unit. */
    DEMAND_DIFFERS,
    CARD_ABSENT,
    CARD_CORDONED,
    CARD_UNHEALTHY,
    CARD_IN_USE,
    /** The card can't hold the container to its share as the operator asks for. */
    NO_ISOLATION,
    /** The driver names no device file of the card, and the operator chose to list device files. */
    NO_DEVICE_FILE,
    /** The pod has no annotation, and it fits on no card. */
    NO_FREE_CAPACITY
}
