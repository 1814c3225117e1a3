/** TODO package documentation. */
@NullMarked
package io.gpushare.extender.report;

import org.jspecify.annotations.NullMarked;
