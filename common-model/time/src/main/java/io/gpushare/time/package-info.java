/**
 * The clocks of the programs, steps that are repeated, and the end of what was started. Only the programs' wiring makes
 * clocks; all other code receives them.
 */
@NullMarked
package io.gpushare.time;

import org.jspecify.annotations.NullMarked;
