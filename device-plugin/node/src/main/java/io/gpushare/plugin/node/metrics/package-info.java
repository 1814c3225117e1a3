/**
 * The edge to Prometheus: the plugin's counters and the state of the node as text over HTTP. It reads them at each
 * scrape and stores only the durations of calls. No label has an unbounded set of values.
 */
@NullMarked
package io.gpushare.plugin.node.metrics;

import org.jspecify.annotations.NullMarked;
