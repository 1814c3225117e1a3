package io.gpushare.nvml;

import java.util.Objects;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A compute process on a card; empty where the driver does not report a value.
 *
 * @param pid the process ID in the host's PID namespace
 * @param gpuUtilization percent of the card's time in which it computed, the mean of its newest samples
 */
public record CardProcess(long pid, OptionalLong memoryUsedBytes, OptionalInt gpuUtilization) {
    public CardProcess {
        Objects.requireNonNull(memoryUsedBytes);
        Objects.requireNonNull(gpuUtilization);
    }
}
