package io.gpushare.nvml;

import java.util.Optional;

/**
 * The versions of the driver and of the newest CUDA that it supports; empty where it does not report them.
 *
 * @param cuda major and minor version, for example {@code 13.0}
 */
public record DriverFacts(Optional<String> version, Optional<String> cuda) {}
