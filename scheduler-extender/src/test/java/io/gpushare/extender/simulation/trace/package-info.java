@NullMarked
package io.gpushare.extender.simulation.trace;

import org.jspecify.annotations.NullMarked;
