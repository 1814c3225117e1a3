package io.gpushare.plugin;

import io.gpushare.plugin.node.holdings.Offer;

/** How this node offers its cards, as users write it. */
enum ServeMode {
    /** As resources of the kubelet's device plugin API. */
    DEVICE_PLUGIN("device-plugin", Offer.DEVICE_PLUGIN),
    /** As devices of Dynamic Resource Allocation, which pods request by ResourceClaims. */
    DRA("dra", Offer.CLAIMS);

    private final String text;
    private final Offer offer;

    ServeMode(String text, Offer offer) {
        this.text = text;
        this.offer = offer;
    }

    Offer offer() {
        return offer;
    }

    @Override
    public String toString() {
        return text;
    }
}
