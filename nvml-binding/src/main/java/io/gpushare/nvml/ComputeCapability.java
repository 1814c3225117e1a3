package io.gpushare.nvml;

/** A card's CUDA compute capability, 9.0 for example. */
public record ComputeCapability(int major, int minor) {
    @Override
    public String toString() {
        return major + "." + minor;
    }
}
