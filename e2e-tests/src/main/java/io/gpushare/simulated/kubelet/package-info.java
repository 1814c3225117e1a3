/** TODO package documentation. */
@NullMarked
package io.gpushare.simulated.kubelet;

import org.jspecify.annotations.NullMarked;
