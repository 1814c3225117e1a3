package io.gpushare.plugin.node.usage;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A compute process on a card.
 *
 * @param pid the process ID in the host's PID namespace
 * @param use as far as the driver reports it
 * @param mps whether it computes as a client of MPS; empty where the driver lists no clients
 */
public record CardProcess(long pid, ProcessUse use, Optional<Boolean> mps) {
    public CardProcess {
        Objects.requireNonNull(use);
        Objects.requireNonNull(mps);
    }

    /** A process that may be a client of MPS or not. */
    public CardProcess(long pid, OptionalLong memoryUsedBytes, OptionalInt gpuUtilization) {
        this(pid, new ProcessUse(memoryUsedBytes, gpuUtilization), Optional.empty());
    }

    public OptionalLong memoryUsedBytes() {
        return use.memoryUsedBytes();
    }

    public OptionalInt gpuUtilization() {
        return use.gpuUtilization();
    }
}
