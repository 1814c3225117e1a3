package io.gpushare.plugin.devices;

import io.gpushare.model.ContainerDemand;
import io.gpushare.model.Share;
import io.gpushare.model.ShareKind;

/** The two resources that a node offers. */
public enum DeviceResource {
    /** Units of a card's memory. */
    MEMORY(ShareKind.MEMORY),
    /** Whole cards. */
    CARDS(ShareKind.WHOLE_CARDS);

    private final ShareKind kind;

    DeviceResource(ShareKind kind) {
        this.kind = kind;
    }

    /** How much of this resource is in the share. */
    public int in(Share share) {
        return kind.in(share);
    }

    /** How much of this resource the container requests. */
    public int amount(ContainerDemand demand) {
        return in(demand.request());
    }
}
