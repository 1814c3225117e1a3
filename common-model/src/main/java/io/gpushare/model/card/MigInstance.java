package io.gpushare.model.card;

import java.util.List;

/**
 * What makes a MIG instance of a card.
 *
 * @param parent the physical card
 * @param profile NVIDIA's name of its size as the driver reports it, such as {@code 3g.40gb} or {@code 1g.10gb+me}
 * @param gpuInstance the driver's number of the GPU instance, and of the compute instance in it
 * @param caps the numbers of its device files, {@code /dev/nvidia-caps/nvidia-cap<n>}; none where they are not read
 */
public record MigInstance(CardId parent, String profile, int gpuInstance, int computeInstance, List<Integer> caps) {
    public MigInstance {
        caps = List.copyOf(caps);
    }

    /** The profile as NVIDIA writes it in the names of resources, and users in selectors. */
    public static String written(String profile) {
        return profile.replace('+', '.');
    }
}
