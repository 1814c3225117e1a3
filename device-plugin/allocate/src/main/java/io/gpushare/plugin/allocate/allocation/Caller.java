package io.gpushare.plugin.allocate.allocation;

import io.gpushare.model.ContainerDemand;
import io.gpushare.plugin.node.pod.NodePod;

/** The container that a kubelet call is about; the call itself does not name it. */
public record Caller(NodePod pod, ContainerDemand container, Evidence evidence) {
    /** How the container was identified, most reliable first. */
    public enum Evidence {
        /** pod-resources lists its pod, and it is the container that lacks its devices. */
        LACKS_DEVICES,
        /** The same, but its call was answered before: the kubelet has lost its device allocations. */
        REPEATED_CALL,
        /** pod-resources did not respond: the oldest of the pods that request this amount, all on the same cards. */
        DEMAND_ONLY
    }
}
