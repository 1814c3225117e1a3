/** Tests of the Helm chart with Helm's own engine, without a cluster. */
@NullMarked
package io.gpushare.e2e.chart;

import org.jspecify.annotations.NullMarked;
