/** TODO package documentation. */
@NullMarked
package io.gpushare.model.card;

import org.jspecify.annotations.NullMarked;
