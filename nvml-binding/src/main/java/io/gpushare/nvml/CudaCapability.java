package io.gpushare.nvml;

/** A card's CUDA compute capability, for example 9.0. */
public record CudaCapability(int major, int minor) {
    @Override
    public String toString() {
        return major + "." + minor;
    }
}
