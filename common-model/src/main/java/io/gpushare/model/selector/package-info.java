/** TODO package documentation. */
@NullMarked
package io.gpushare.model.selector;

import org.jspecify.annotations.NullMarked;
