/** The program: its options, and the wiring of what decides, what it does about claims, and what shows it. */
@NullMarked
package io.gpushare.extender.program;

import org.jspecify.annotations.NullMarked;
