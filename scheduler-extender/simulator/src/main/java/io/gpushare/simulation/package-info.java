/**
 * Replays lists of pods on a cluster and reports how much of the cards each policy gets to use. A policy decides alone, or
 * through the ledger and the verbs filter and bind as in a cluster. It reads CSV files, writes one plot, and knows neither
 * HTTP nor Kubernetes; clocks are passed in.
 */
@NullMarked
package io.gpushare.simulation;

import org.jspecify.annotations.NullMarked;
