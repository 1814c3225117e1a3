package io.gpushare.nvml;

import io.gpushare.nvml.library.NvmlLibrary;

/** Which processes may compute on a card. */
public enum ComputeMode {
    /** Any number. */
    DEFAULT(NvmlLibrary.NVML_COMPUTEMODE_DEFAULT),
    /** One process: MPS' server, if it runs. */
    EXCLUSIVE_PROCESS(NvmlLibrary.NVML_COMPUTEMODE_EXCLUSIVE_PROCESS),
    /** No process, or a mode of old drivers: nobody sets it here. */
    OTHER(-1);

    private final int number;

    ComputeMode(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    static ComputeMode of(int number) {
        return number == DEFAULT.number ? DEFAULT : number == EXCLUSIVE_PROCESS.number ? EXCLUSIVE_PROCESS : OTHER;
    }
}
