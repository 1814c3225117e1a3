/** TODO package documentation. */
@NullMarked
package io.gpushare.extender.usage;

import org.jspecify.annotations.NullMarked;
