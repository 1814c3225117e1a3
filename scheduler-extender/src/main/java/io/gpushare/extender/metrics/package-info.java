/** TODO package documentation. */
@NullMarked
package io.gpushare.extender.metrics;

import org.jspecify.annotations.NullMarked;
