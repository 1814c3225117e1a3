/** Tests of pods that end and of the queue. */
@NullMarked
package io.gpushare.extender.simulation.lifetimes;

import org.jspecify.annotations.NullMarked;
