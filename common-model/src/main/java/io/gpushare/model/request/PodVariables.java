package io.gpushare.model.request;

import java.util.List;

/**
 * The environment variables of containers that this project reads: those that programs for cards read. A variable that
 * the container sets itself counts instead of the device plugin's.
 */
public final class PodVariables {
    /** Everything that the device plugin sets has one of them. */
    private static final List<String> PREFIXES = List.of(
            "ALIYUN_",
            "CUDA_",
            "CUPY_",
            "FLAGS_",
            "GPUSHARE_",
            "GPU_",
            "LD_",
            "LIBCUDA_",
            "NVIDIA_",
            "TF_",
            "VGPU_",
            "XLA_");

    private PodVariables() {}

    /** Whether this project reads the variable of that name. */
    public static boolean reads(String name) {
        return PREFIXES.stream().anyMatch(name::startsWith);
    }
}
