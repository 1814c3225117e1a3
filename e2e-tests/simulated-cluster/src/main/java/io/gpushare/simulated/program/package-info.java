/** Starts the programs that tests drive: in the test's own JVM, or as processes. It knows none of the programs. */
@NullMarked
package io.gpushare.simulated.program;

import org.jspecify.annotations.NullMarked;
