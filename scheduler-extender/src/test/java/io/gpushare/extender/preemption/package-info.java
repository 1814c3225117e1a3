/** Evictions of the extender on the wire. */
@NullMarked
package io.gpushare.extender.preemption;

import org.jspecify.annotations.NullMarked;
