package io.gpushare.nvml;

import java.util.Objects;

/** The driver's versions: its own, that of its NVML, and the newest CUDA that it serves. */
public record DriverFacts(String driverVersion, String nvmlVersion, int cudaMajor, int cudaMinor) {
    public DriverFacts {
        Objects.requireNonNull(driverVersion);
        Objects.requireNonNull(nvmlVersion);
    }
}
