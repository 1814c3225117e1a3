/** Tests of the whole program over its wires. */
@NullMarked
package io.gpushare.extender;

import org.jspecify.annotations.NullMarked;
