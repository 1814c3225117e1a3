package io.gpushare.plugin.node.container;

/** How the container runtime receives a container's cards; the names are those of NVIDIA's device plugin. */
public enum DeviceListStrategy {
    /** {@code NVIDIA_VISIBLE_DEVICES}, read by NVIDIA's container runtime. */
    ENVVAR("envvar"),
    /** Device names of the Container Device Interface, read by the container engine (Kubernetes 1.28 and newer). */
    CDI_CRI("cdi-cri"),
    /** For claims as {@link #CDI_CRI} where NVIDIA's file names the cards, else {@link #ENVVAR}. */
    AUTO("auto"),
    /** The device files under /dev; the image must contain the driver's libraries. */
    DEVICE_SPECS("device-specs");

    private final String label;

    DeviceListStrategy(String label) {
        this.label = label;
    }

    @Override
    public String toString() {
        return label;
    }
}
