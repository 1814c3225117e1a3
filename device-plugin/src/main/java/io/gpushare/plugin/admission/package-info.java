/** TODO package documentation. */
@NullMarked
package io.gpushare.plugin.admission;

import org.jspecify.annotations.NullMarked;
