/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.simulated.patience;

import org.jspecify.annotations.NullMarked;
