/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.simulation.planning;

import org.jspecify.annotations.NullMarked;
