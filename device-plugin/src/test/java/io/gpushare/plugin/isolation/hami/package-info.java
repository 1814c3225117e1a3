/** Tests of isolation by MPS. */
@NullMarked
package io.gpushare.plugin.isolation.hami;

import org.jspecify.annotations.NullMarked;
