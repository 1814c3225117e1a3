/** TODO package documentation. */
@NullMarked
package io.gpushare.plugin.monitor;

import org.jspecify.annotations.NullMarked;
