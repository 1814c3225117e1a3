package io.gpushare.nvml;

/** A card's CUDA compute capability, 9.0 for example. */
public record CudaCapability(int major, int minor) {
    @Override
    public String toString() {
        return major + "." + minor;
    }
}
