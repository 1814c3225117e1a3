package io.gpushare.nvml;

import com.sun.jna.Pointer;
import io.gpushare.nvml.library.NvmlCalls;
import io.gpushare.nvml.library.NvmlCode;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.nvml.library.NvmlLibrary.nvmlGetMemoryLimits_v1_t;
import io.gpushare.nvml.library.NvmlLibrary.nvmlSetMemoryLimits_v1_t;
import java.util.OptionalLong;

/** Reads and sets the memory limits of cgroups on the card behind a handle: drivers from 615 on. */
final class CgroupLimits {
    private static final long NONE = -1; // 2^64-1

    private final NvmlCalls calls;
    private final Pointer device;

    CgroupLimits(NvmlCalls calls, Pointer device) {
        this.calls = calls;
        this.device = device;
    }

    /** The hard limit in bytes; empty if there is none. Without one, drivers return either of two codes. */
    OptionalLong hard(String directory) throws NvmlException {
        var limits = new nvmlGetMemoryLimits_v1_t();
        limits.nameSpace = directory;
        String what = "nvmlDeviceGetMemoryLimits_v1";
        int code = calls.code(what, nvml -> nvml.nvmlDeviceGetMemoryLimits_v1(device, limits));
        if (code == NvmlCode.NOT_FOUND || code == NvmlCode.NOT_SUPPORTED) {
            return OptionalLong.empty();
        }
        if (code != NvmlCode.SUCCESS) {
            throw calls.failure(what, code);
        }
        return limits.hardLimit == NONE ? OptionalLong.empty() : OptionalLong.of(limits.hardLimit);
    }

    /** Sets soft and hard limit to that many bytes: a strict share, from which nothing is borrowed. */
    void set(String directory, long bytes) throws NvmlException {
        set(directory, bytes, bytes);
    }

    void clear(String directory) throws NvmlException {
        set(directory, 0, NONE);
    }

    private void set(String directory, long soft, long hard) throws NvmlException {
        var limits = new nvmlSetMemoryLimits_v1_t();
        limits.nameSpace = directory;
        limits.softLimit = soft;
        limits.hardLimit = hard;
        calls.require("nvmlDeviceSetMemoryLimits_v1", nvml -> nvml.nvmlDeviceSetMemoryLimits_v1(device, limits));
    }
}
