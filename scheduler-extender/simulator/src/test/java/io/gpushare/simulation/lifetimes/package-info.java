/** Tests of pods that end and of the queue. */
@NullMarked
package io.gpushare.simulation.lifetimes;

import org.jspecify.annotations.NullMarked;
