package io.gpushare.plugin.allocation;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/** How the container runtime receives a container's cards; the names are those of NVIDIA's device plugin. */
public enum DeviceListStrategy {
    /** {@code NVIDIA_VISIBLE_DEVICES}, read by NVIDIA's container runtime. */
    ENVVAR("envvar"),
    /** Device names of the Container Device Interface, read by the container engine (Kubernetes 1.28 and newer). */
    CDI_CRI("cdi-cri"),
    /** The device files under /dev; the image must contain the driver's libraries. */
    DEVICE_SPECS("device-specs");

    private final String label;

    DeviceListStrategy(String label) {
        this.label = label;
    }

    /**
     * Parses a comma-separated list.
     *
     * @throws IllegalArgumentException with a sentence for the user if a name is unknown
     */
    public static Set<DeviceListStrategy> parse(String text) {
        Set<DeviceListStrategy> chosen = EnumSet.noneOf(DeviceListStrategy.class);
        for (String name : text.split(",", -1)) {
            chosen.add(Arrays.stream(values())
                    .filter(strategy -> strategy.label.equals(name.strip()))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("unknown device list strategy '" + name
                            + "': use envvar, cdi-cri or device-specs, or a comma-separated list of them")));
        }
        return chosen;
    }

    @Override
    public String toString() {
        return label;
    }
}
