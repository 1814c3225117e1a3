@NullMarked
package io.gpushare.nvml;

import org.jspecify.annotations.NullMarked;
