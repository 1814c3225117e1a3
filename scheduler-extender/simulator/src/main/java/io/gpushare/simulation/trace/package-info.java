/** The input of a simulation: CSV files of nodes and pods, and the order in which the pods arrive. */
@NullMarked
package io.gpushare.simulation.trace;

import org.jspecify.annotations.NullMarked;
