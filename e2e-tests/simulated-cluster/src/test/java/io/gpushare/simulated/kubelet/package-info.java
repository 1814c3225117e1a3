/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.simulated.kubelet;

import org.jspecify.annotations.NullMarked;
