/** Tests of isolation by MPS. */
@NullMarked
package io.gpushare.plugin.node.isolation.mps;

import org.jspecify.annotations.NullMarked;
