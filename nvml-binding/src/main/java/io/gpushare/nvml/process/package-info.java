/**
 * The processes on a card as NVML reports them: their memory and their utilization. Which calls a driver has depends on
 * its version.
 */
@NullMarked
package io.gpushare.nvml.process;

import org.jspecify.annotations.NullMarked;
