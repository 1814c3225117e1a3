/** The program: options, wiring and shutdown of the scheduler extender, and its subcommand that simulates policies. */
@NullMarked
package io.gpushare.extender;

import org.jspecify.annotations.NullMarked;
