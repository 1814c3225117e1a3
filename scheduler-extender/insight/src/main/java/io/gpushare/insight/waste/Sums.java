package io.gpushare.insight.waste;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sums over pods on cards. Pods whose usage is unknown are in {@code pods} and {@code allocated} only, and a figure
 * that is unknown of all pods is not written.
 *
 * @param pods a pod counts once, on however many cards
 * @param allocated memory that the pods hold
 * @param measured the part of it whose usage is known
 * @param used memory that the pods use
 * @param unused allocated and not used
 * @param over used beyond what is allocated
 * @param idle allocated to pods that have not computed for {@link PodOnCard#IDLE}
 * @param podsOver the number of pods that use more than is allocated to them on one of their cards
 * @param podsIdle the number of pods that are idle on one of their cards
 * @param podsIdleUnknown the number of other pods of which it is unknown on one of their cards whether they are idle
 */
public record Sums(
        int pods,
        @JsonProperty("allocatedBytes") long allocated,
        @JsonProperty("measuredBytes") long measured,
        @JsonIgnore long used,
        @JsonIgnore long unused,
        @JsonIgnore long over,
        @JsonIgnore long idle,
        @JsonIgnore int podsOver,
        @JsonIgnore int podsIdle,
        int podsIdleUnknown) {
    public static final Sums NONE = new Sums(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** One pod, on all of its cards. */
    static Sums ofPod(List<PodOnCard> cards) {
        Sums sum = cards.stream().map(Sums::of).reduce(NONE, Sums::plus);
        int idle = Math.min(1, sum.podsIdle);
        return new Sums(
                1,
                sum.allocated,
                sum.measured,
                sum.used,
                sum.unused,
                sum.over,
                sum.idle,
                Math.min(1, sum.podsOver),
                idle,
                Math.min(1 - idle, sum.podsIdleUnknown));
    }

    private static Sums of(PodOnCard pod) {
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
                pod.idle() ? 1 : 0,
                pod.idleSeconds() == null ? 1 : 0);
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
                podsIdle + other.podsIdle,
                podsIdleUnknown + other.podsIdleUnknown);
    }

    /** Memory that an owner could give back: of idle pods all, of others what they don't use. */
    public long waste() {
        return Math.max(unused, idle);
    }

    @JsonProperty
    public @Nullable Long usedBytes() {
        return usage(used);
    }

    @JsonProperty
    public @Nullable Long unusedBytes() {
        return usage(unused);
    }

    @JsonProperty
    public @Nullable Long overBytes() {
        return usage(over);
    }

    @JsonProperty
    public @Nullable Long idleBytes() {
        return idleness(idle);
    }

    @JsonProperty("podsOver")
    public @Nullable Long knownOver() {
        return usage(podsOver);
    }

    @JsonProperty("podsIdle")
    public @Nullable Long knownIdle() {
        return idleness(podsIdle);
    }

    /** Null if the usage of all pods is unknown. */
    private @Nullable Long usage(long value) {
        return measured == 0 && allocated > 0 ? null : value;
    }

    /** Null if it is unknown of all pods whether they are idle. */
    private @Nullable Long idleness(long value) {
        return podsIdleUnknown == pods && pods > 0 ? null : value;
    }
}
