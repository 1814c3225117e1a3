package io.gpushare.nvml;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * An error that the driver reported. NVIDIA's Xid catalog documents the numbers.
 *
 * @param uuid the card's UUID; empty where the card no longer reports it
 * @param gpuInstance the MIG instance of the card that has the error; empty for the whole card
 * @param computeInstance the part of that instance; empty for all of it
 */
public record XidEvent(Optional<String> uuid, long xid, OptionalInt gpuInstance, OptionalInt computeInstance) {
    public XidEvent {
        Objects.requireNonNull(uuid);
        Objects.requireNonNull(gpuInstance);
        Objects.requireNonNull(computeInstance);
    }

    /** An error of a whole card. */
    public XidEvent(Optional<String> uuid, long xid) {
        this(uuid, xid, OptionalInt.empty(), OptionalInt.empty());
    }
}
