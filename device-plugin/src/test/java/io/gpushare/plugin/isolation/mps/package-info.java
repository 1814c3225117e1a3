/** Tests of isolation by MPS. */
@NullMarked
package io.gpushare.plugin.isolation.mps;

import org.jspecify.annotations.NullMarked;
