package io.gpushare.nvml;

import java.util.Objects;
import java.util.OptionalLong;

/** A process that computes on a card, by the host's process ID; its memory is empty where the driver does not know. */
public record CardProcess(long pid, OptionalLong memoryUsedBytes) {
    public CardProcess {
        Objects.requireNonNull(memoryUsedBytes);
    }
}
