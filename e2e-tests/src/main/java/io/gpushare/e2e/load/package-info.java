/**
 * Load tests of the real programs over HTTP. A bare handler that reads and writes the same number of bytes shows the
 * cost of HTTP alone. The package measures and prints; it has no thresholds.
 */
@NullMarked
package io.gpushare.e2e.load;

import org.jspecify.annotations.NullMarked;
