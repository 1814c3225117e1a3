package io.gpushare.nvml;

/** Memory errors of a card since its driver was loaded: those that were put right, and those that were not. */
public record EccErrors(long corrected, long uncorrected) {}
