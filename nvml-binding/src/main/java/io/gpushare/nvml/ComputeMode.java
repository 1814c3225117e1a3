package io.gpushare.nvml;

import io.gpushare.nvml.library.NvmlLibrary;

/** Which processes may compute on a card. */
public enum ComputeMode {
    /** Any number. */
    DEFAULT(NvmlLibrary.NVML_COMPUTEMODE_DEFAULT),
    /** One process: MPS' server, if it runs. */
    EXCLUSIVE_PROCESS(NvmlLibrary.NVML_COMPUTEMODE_EXCLUSIVE_PROCESS),
    /** None. */
    PROHIBITED(NvmlLibrary.NVML_COMPUTEMODE_PROHIBITED),
    /** A mode of old drivers, which nobody sets here. */
    OTHER(-1);

    private final int number;

    ComputeMode(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    static ComputeMode of(int number) {
        for (ComputeMode mode : values()) {
            if (mode.number == number) {
                return mode;
            }
        }
        return OTHER;
    }
}
