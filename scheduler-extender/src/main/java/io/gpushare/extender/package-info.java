/** The program: its options, and the wiring by hand of rooms that do not know each other. */
@NullMarked
package io.gpushare.extender;

import org.jspecify.annotations.NullMarked;
