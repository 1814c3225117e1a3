/** Scenarios of pods that wait: when they are placed, and what is said of them meanwhile. */
@NullMarked
package io.gpushare.e2e.cluster.waiting;

import org.jspecify.annotations.NullMarked;
