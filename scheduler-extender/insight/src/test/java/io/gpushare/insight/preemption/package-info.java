/** Evictions of the extender on the wire. */
@NullMarked
package io.gpushare.insight.preemption;

import org.jspecify.annotations.NullMarked;
