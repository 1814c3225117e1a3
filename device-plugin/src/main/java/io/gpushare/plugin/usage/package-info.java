/** TODO package documentation. */
@NullMarked
package io.gpushare.plugin.usage;

import org.jspecify.annotations.NullMarked;
