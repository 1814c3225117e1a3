/** Tests of isolation by MPS. */
@NullMarked
package io.gpushare.plugin.node.isolation.hami;

import org.jspecify.annotations.NullMarked;
