/** TODO package documentation. */
@NullMarked
package io.gpushare.simulated.apiserver.store;

import org.jspecify.annotations.NullMarked;
