/**
 * Clusters and pods drawn at random, to compare policies on, and the table that compares them. Pure: a seed gives the
 * same cluster everywhere.
 */
@NullMarked
package io.gpushare.simulation.suite;

import org.jspecify.annotations.NullMarked;
