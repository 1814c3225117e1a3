/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.simulation.trace;

import org.jspecify.annotations.NullMarked;
