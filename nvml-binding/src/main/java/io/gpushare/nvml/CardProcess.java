package io.gpushare.nvml;

import java.util.Objects;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A process that computes on a card; empty is what the driver does not know.
 *
 * @param pid the process ID, as the PID namespace of the host has it
 * @param gpuUtilisation percent of the card's time that it computed, the mean of its newest samples
 */
public record CardProcess(long pid, OptionalLong memoryUsedBytes, OptionalInt gpuUtilisation) {
    public CardProcess {
        Objects.requireNonNull(memoryUsedBytes);
        Objects.requireNonNull(gpuUtilisation);
    }
}
