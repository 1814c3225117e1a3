/**
 * Tests of what users and contributors run first: the Helm chart, with the engine of Helm, and the command for all
 * tests.
 */
@NullMarked
package io.gpushare.e2e.chart;

import org.jspecify.annotations.NullMarked;
