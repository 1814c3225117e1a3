package io.gpushare.nvml;

import java.util.Objects;

/** The versions of the driver, of its NVML, and of the newest CUDA that it supports. */
public record DriverFacts(String driverVersion, String nvmlVersion, int cudaMajor, int cudaMinor) {
    public DriverFacts {
        Objects.requireNonNull(driverVersion);
        Objects.requireNonNull(nvmlVersion);
    }
}
