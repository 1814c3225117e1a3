package io.gpushare.plugin.node.cards;

import io.gpushare.nvml.Nvml;
import org.jspecify.annotations.Nullable;

/**
 * The scan's session with the driver, for other callers: a session of their own would outlive a reload of the driver.
 */
final class SharedSession {
    private volatile @Nullable Nvml nvml;

    void set(@Nullable Nvml changed) {
        nvml = changed;
    }

    /** The open session; null while the driver does not respond. It may be closed at any moment. */
    @Nullable
    Nvml now() {
        return nvml;
    }
}
