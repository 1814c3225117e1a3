/** Clusters and pods drawn at random, to compare policies on. Pure: a seed gives the same cluster everywhere. */
@NullMarked
package io.gpushare.simulation.suite;

import org.jspecify.annotations.NullMarked;
