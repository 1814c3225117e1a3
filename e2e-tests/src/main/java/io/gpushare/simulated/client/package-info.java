/** TODO package documentation. */
@NullMarked
package io.gpushare.simulated.client;

import org.jspecify.annotations.NullMarked;
