/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.model.card;

import org.jspecify.annotations.NullMarked;
