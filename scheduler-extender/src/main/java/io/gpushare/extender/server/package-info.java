/** TODO package documentation. */
@NullMarked
package io.gpushare.extender.server;

import org.jspecify.annotations.NullMarked;
