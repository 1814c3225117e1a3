/**
 * Replays lists of pods against a cluster, through the very same placement as the running program, and says how much of
 * the cards each policy gets to use. It reads CSV files and writes one picture; it does not know the ledger, the verbs or
 * a cluster, and it reads no clock that it was not given.
 */
@NullMarked
package io.gpushare.extender.simulation;

import org.jspecify.annotations.NullMarked;
