package io.gpushare.nvml;

import java.util.Objects;
import java.util.Optional;

/**
 * An error that the driver reported. NVIDIA's Xid catalog documents the numbers.
 *
 * @param uuid the card's UUID; empty where the card no longer reports it
 */
public record XidEvent(Optional<String> uuid, long xid) {
    public XidEvent {
        Objects.requireNonNull(uuid);
    }
}
