/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.plugin.cards;

import org.jspecify.annotations.NullMarked;
