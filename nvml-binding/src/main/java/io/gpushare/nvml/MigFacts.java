package io.gpushare.nvml;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The MIG state of a card.
 *
 * @param enabled whether MIG mode is enabled now
 * @param pending whether it will be after the next reset of the card
 * @param instances in the order of their places; none while the mode is disabled
 */
public record MigFacts(boolean enabled, boolean pending, List<Instance> instances) {
    /**
     * One MIG instance that programs can use: a compute instance in its GPU instance.
     *
     * @param uuid {@code MIG-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}; drivers before 470 report {@code
     *     MIG-GPU-<uuid>/<gpu instance>/<compute instance>}
     * @param profile NVIDIA's name of its size, for example {@code 3g.40gb}; empty where the driver does not report it
     * @param whole whether it has its GPU instance for itself: the memory belongs to the GPU instance
     */
    public record Instance(
            String uuid,
            Optional<String> profile,
            OptionalLong memoryTotalBytes,
            OptionalLong memoryReservedBytes,
            int gpuInstance,
            int computeInstance,
            boolean whole) {
        public Instance {
            Objects.requireNonNull(profile);
            Objects.requireNonNull(memoryTotalBytes);
        }
    }

    public MigFacts {
        instances = List.copyOf(instances);
    }
}
