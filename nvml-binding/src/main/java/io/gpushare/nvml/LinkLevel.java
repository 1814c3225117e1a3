package io.gpushare.nvml;

import java.util.Objects;
import java.util.Optional;

/**
 * How close two cards are.
 *
 * @param pcie what the PCIe path crosses; empty where the driver does not report it, as in many virtual machines
 * @param nvLinks active NVLinks between the two that the driver reports, directly or through an NVSwitch
 */
public record LinkLevel(Optional<Pcie> pcie, int nvLinks) {
    public LinkLevel {
        Objects.requireNonNull(pcie);
        if (nvLinks < 0) {
            throw new IllegalArgumentException("a negative number of NVLinks: " + nvLinks);
        }
    }

    /** What the path between two cards crosses, closest first (nvmlGpuTopologyLevel_t). */
    public enum Pcie {
        SAME_BOARD(0),
        ONE_SWITCH(10),
        SEVERAL_SWITCHES(20),
        HOST_BRIDGE(30),
        NUMA_NODE(40),
        SYSTEM(50);

        private final int level;

        Pcie(int level) {
            this.level = level;
        }

        static Optional<Pcie> of(int level) {
            for (Pcie pcie : values()) {
                if (pcie.level == level) {
                    return Optional.of(pcie);
                }
            }
            return Optional.empty();
        }
    }
}
