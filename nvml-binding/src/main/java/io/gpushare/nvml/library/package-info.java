/** TODO package documentation. */
@NullMarked
package io.gpushare.nvml.library;

import org.jspecify.annotations.NullMarked;
