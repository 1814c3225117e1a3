/** The edge to the device plugins: fetches the measured usage of cards from their metrics. */
@NullMarked
package io.gpushare.insight.usage;

import org.jspecify.annotations.NullMarked;
