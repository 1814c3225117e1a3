/** Tests of replays, the suite and their input. */
@NullMarked
package io.gpushare.simulation;

import org.jspecify.annotations.NullMarked;
