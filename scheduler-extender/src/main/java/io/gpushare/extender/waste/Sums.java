package io.gpushare.extender.waste;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * Sums over pods on cards. Bytes of pods whose usage is unknown are in {@code allocated} only.
 *
 * @param pods a pod counts once for each of its cards
 * @param allocated memory that the pods hold
 * @param measured the part of it whose usage is known
 * @param used memory that the pods use
 * @param unused allocated and not used
 * @param over used beyond what is allocated
 * @param idle allocated to pods that have not computed for {@link PodOnCard#IDLE}
 * @param podsOver the number of pods that use more than is allocated to them
 * @param podsIdle the number of idle pods
 */
public record Sums(
        int pods,
        @JsonProperty("allocatedBytes") long allocated,
        @JsonProperty("measuredBytes") long measured,
        @JsonProperty("usedBytes") long used,
        @JsonProperty("unusedBytes") long unused,
        @JsonProperty("overBytes") long over,
        @JsonProperty("idleBytes") long idle,
        int podsOver,
        int podsIdle) {
    public static final Sums NONE = new Sums(0, 0, 0, 0, 0, 0, 0, 0, 0);

    static Sums of(PodOnCard pod) {
        @Nullable Long used = pod.usedBytes();
        return new Sums(
                1,
                pod.allocatedBytes(),
                used == null ? 0 : pod.allocatedBytes(),
                used == null ? 0 : used,
                pod.unusedBytes(),
                pod.overBytes(),
                pod.idle() ? pod.allocatedBytes() : 0,
                pod.over() ? 1 : 0,
                pod.idle() ? 1 : 0);
    }

    /** The sum of both. */
    public Sums plus(Sums other) {
        return new Sums(
                pods + other.pods,
                allocated + other.allocated,
                measured + other.measured,
                used + other.used,
                unused + other.unused,
                over + other.over,
                idle + other.idle,
                podsOver + other.podsOver,
                podsIdle + other.podsIdle);
    }

    /** Memory that an owner could give back: of idle pods all, of others what they don't use. */
    public long waste() {
        return Math.max(unused, idle);
    }
}
