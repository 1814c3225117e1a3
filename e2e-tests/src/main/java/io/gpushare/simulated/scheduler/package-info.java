/** TODO package documentation. */
@NullMarked
package io.gpushare.simulated.scheduler;

import org.jspecify.annotations.NullMarked;
