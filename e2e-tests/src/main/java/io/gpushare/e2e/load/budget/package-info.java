/** The budgets of BENCHMARKS.md: what a run measured is compared with them, and a missed one fails the run. */
@NullMarked
package io.gpushare.e2e.load.budget;

import org.jspecify.annotations.NullMarked;
