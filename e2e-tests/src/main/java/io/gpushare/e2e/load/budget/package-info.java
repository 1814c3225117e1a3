/** The durations that a run measured, and the budgets of BENCHMARKS.md: a missed one fails the run. */
@NullMarked
package io.gpushare.e2e.load.budget;

import org.jspecify.annotations.NullMarked;
