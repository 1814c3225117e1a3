/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.simulated.client;

import org.jspecify.annotations.NullMarked;
