/** TODO package documentation. */
@NullMarked
package io.gpushare.extender.capacity;

import org.jspecify.annotations.NullMarked;
