/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.simulated.scheduler;

import org.jspecify.annotations.NullMarked;
