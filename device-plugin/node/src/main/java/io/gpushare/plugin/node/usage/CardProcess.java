package io.gpushare.plugin.node.usage;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A compute process on a card; empty where the driver does not report a value.
 *
 * @param pid the process ID in the host's PID namespace
 * @param gpuUtilization percent of the card's time in which it computed, the mean of its newest samples; the driver
 *     does not report it of a client of MPS, but that of all clients together as their server's
 * @param mps whether it computes as a client of MPS; empty where the driver lists no clients
 */
public record CardProcess(long pid, OptionalLong memoryUsedBytes, OptionalInt gpuUtilization, Optional<Boolean> mps) {
    public CardProcess {
        Objects.requireNonNull(memoryUsedBytes);
        Objects.requireNonNull(gpuUtilization);
        Objects.requireNonNull(mps);
    }

    /** A process that may be a client of MPS or not. */
    public CardProcess(long pid, OptionalLong memoryUsedBytes, OptionalInt gpuUtilization) {
        this(pid, memoryUsedBytes, gpuUtilization, Optional.empty());
    }

    /** The same with that utilization. */
    public CardProcess withUtilization(OptionalInt percent) {
        return new CardProcess(pid, memoryUsedBytes, percent, mps);
    }
}
