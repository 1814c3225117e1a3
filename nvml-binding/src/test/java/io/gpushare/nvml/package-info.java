/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.nvml;

import org.jspecify.annotations.NullMarked;
