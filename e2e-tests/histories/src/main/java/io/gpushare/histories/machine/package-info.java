/**
 * Simulated machines: threads that run one at a time in an order that a seed decides, on a time that passes only when
 * none of them can run.
 */
@NullMarked
package io.gpushare.histories.machine;

import org.jspecify.annotations.NullMarked;
