/** Tests of the simulated parts of claims. */
@NullMarked
package io.gpushare.simulated.claims;

import org.jspecify.annotations.NullMarked;
