package io.gpushare.plugin.node.holdings;

/** How a node gives its cards away. A card is offered in one of them at a time. */
public enum Offer {
    /** As resources of the kubelet's device plugin API. */
    DEVICE_PLUGIN,
    /** As devices of Dynamic Resource Allocation, which pods request by ResourceClaims. */
    CLAIMS
}
