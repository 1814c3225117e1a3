package io.gpushare.plugin.allocation;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/** How a container is told its cards; the names are those of NVIDIA's device plugin. */
public enum DeviceListStrategy {
    /** {@code NVIDIA_VISIBLE_DEVICES}, read by NVIDIA's container runtime. */
    ENVVAR("envvar"),
    /** Device names of the Container Device Interface, read by the container engine (Kubernetes 1.28 and newer). */
    CDI_CRI("cdi-cri"),
    /** The files under /dev themselves; the driver's libraries have to be in the image. */
    DEVICE_SPECS("device-specs");

    private final String word;

    DeviceListStrategy(String word) {
        this.word = word;
    }

    /**
     * Reads one or several, with commas between.
     *
     * @throws IllegalArgumentException with a sentence for the user when a name is not known
     */
    public static Set<DeviceListStrategy> parse(String text) {
        Set<DeviceListStrategy> chosen = EnumSet.noneOf(DeviceListStrategy.class);
        for (String word : text.split(",", -1)) {
            chosen.add(Arrays.stream(values())
                    .filter(strategy -> strategy.word.equals(word.strip()))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("device list strategy '" + word
                            + "' is not known: write envvar, cdi-cri or device-specs, or several with commas")));
        }
        return chosen;
    }

    @Override
    public String toString() {
        return word;
    }
}
