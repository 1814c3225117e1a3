/** Tests of the room of the same name. */
@NullMarked
package io.gpushare.plugin.cards;

import org.jspecify.annotations.NullMarked;
