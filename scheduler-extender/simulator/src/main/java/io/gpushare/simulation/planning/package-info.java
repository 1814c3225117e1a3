/**
 * How many new nodes some pods need: plans that place them, and a number that is proven to be necessary. Pure: no
 * ledger, no I/O.
 */
@NullMarked
package io.gpushare.simulation.planning;

import org.jspecify.annotations.NullMarked;
