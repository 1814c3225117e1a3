/**
 * The JNA mapping of NVML. It keeps NVML's own names, so that they can be found in its manual, and turns return codes
 * into exceptions. Only {@code io.gpushare.nvml} uses this package.
 */
@NullMarked
package io.gpushare.nvml.library;

import org.jspecify.annotations.NullMarked;
