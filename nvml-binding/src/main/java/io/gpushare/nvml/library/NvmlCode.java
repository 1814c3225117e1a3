package io.gpushare.nvml.library;

/** NVML's return codes that are handled here, by NVML's names. */
public final class NvmlCode {
    public static final int SUCCESS = 0;
    public static final int INVALID_ARGUMENT = 2;
    public static final int NOT_SUPPORTED = 3;
    public static final int NO_PERMISSION = 4;
    public static final int NOT_FOUND = 6;
    public static final int INSUFFICIENT_SIZE = 7;
    static final int DRIVER_NOT_LOADED = 9;
    public static final int TIMEOUT = 10;
    static final int LIBRARY_NOT_FOUND = 12;
    static final int FUNCTION_NOT_FOUND = 13;
    public static final int GPU_IS_LOST = 15;
    public static final int LIB_RM_VERSION_MISMATCH = 18;
    static final int ARGUMENT_VERSION_MISMATCH = 25;

    private NvmlCode() {}
}
