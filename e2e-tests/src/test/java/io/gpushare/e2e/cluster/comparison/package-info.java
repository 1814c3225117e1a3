/** Whether the simulated cluster says what a real one says. */
@NullMarked
package io.gpushare.e2e.cluster.comparison;

import org.jspecify.annotations.NullMarked;
