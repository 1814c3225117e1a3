/** TODO package documentation. */
@NullMarked
package io.gpushare.simulated.apiserver;

import org.jspecify.annotations.NullMarked;
