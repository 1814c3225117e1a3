/** TODO package documentation. */
@NullMarked
package io.gpushare.extender.page;

import org.jspecify.annotations.NullMarked;
