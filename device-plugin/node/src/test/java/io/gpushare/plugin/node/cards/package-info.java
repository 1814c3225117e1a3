/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.plugin.node.cards;

import org.jspecify.annotations.NullMarked;
