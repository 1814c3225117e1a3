package io.gpushare.plugin.node.usage;

import java.util.Objects;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What a process uses of a card, or several together; a value is empty if it is unknown of one of them.
 *
 * @param gpuUtilization percent of the card's time in which it computed, the mean of its newest samples; the driver
 *     does not report it of a client of MPS, but that of all clients together as their server's
 */
public record ProcessUse(OptionalLong memoryUsedBytes, OptionalInt gpuUtilization) {
    /** No process. */
    static final ProcessUse NOTHING = new ProcessUse(OptionalLong.of(0), OptionalInt.of(0));

    static final ProcessUse UNKNOWN = new ProcessUse(OptionalLong.empty(), OptionalInt.empty());

    public ProcessUse {
        Objects.requireNonNull(memoryUsedBytes);
        Objects.requireNonNull(gpuUtilization);
    }

    /** So much memory; nothing else is known. */
    static ProcessUse ofMemory(long bytes) {
        return new ProcessUse(OptionalLong.of(bytes), OptionalInt.empty());
    }

    /** The same with that utilization. */
    ProcessUse withUtilization(OptionalInt percent) {
        return new ProcessUse(memoryUsedBytes, percent);
    }

    /** That of both together. */
    ProcessUse plus(ProcessUse other) {
        boolean memory = memoryUsedBytes.isPresent() && other.memoryUsedBytes.isPresent();
        boolean time = gpuUtilization.isPresent() && other.gpuUtilization.isPresent();
        return new ProcessUse(
                memory
                        ? OptionalLong.of(memoryUsedBytes.getAsLong() + other.memoryUsedBytes.getAsLong())
                        : OptionalLong.empty(),
                time
                        ? OptionalInt.of(Math.min(100, gpuUtilization.getAsInt() + other.gpuUtilization.getAsInt()))
                        : OptionalInt.empty());
    }
}
