package io.gpushare.plugin.cards;

import java.util.Map;
import java.util.Optional;

/**
 * The Xid errors that an application causes and that leave the card well; NVIDIA's own device plugin ignores the same six.
 * Every other Xid makes the card ill (catalogue: https://docs.nvidia.com/deploy/xid-errors/).
 */
final class XidTable {
    private static final Map<Long, String> APPLICATION = Map.of(
            13L, "graphics engine exception",
            31L, "GPU memory page fault",
            43L, "GPU stopped processing",
            45L, "preemptive clean-up, due to previous errors",
            68L, "video processor exception",
            109L, "context switch time-out");

    private XidTable() {}

    /** What the application did; empty where the card is to blame. */
    static Optional<String> application(long xid) {
        return Optional.ofNullable(APPLICATION.get(xid));
    }
}
