/** The program: options, wiring and shutdown of the scheduler extender. */
@NullMarked
package io.gpushare.extender;

import org.jspecify.annotations.NullMarked;
