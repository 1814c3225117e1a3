/** The clocks of the programs, and work in rounds. Only their wiring makes clocks; all other code receives them. */
@NullMarked
package io.gpushare.time;

import org.jspecify.annotations.NullMarked;
