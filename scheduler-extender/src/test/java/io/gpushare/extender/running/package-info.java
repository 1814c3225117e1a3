/** A running extender with an API server, which the tests of the whole program share. */
@NullMarked
package io.gpushare.extender.running;

import org.jspecify.annotations.NullMarked;
