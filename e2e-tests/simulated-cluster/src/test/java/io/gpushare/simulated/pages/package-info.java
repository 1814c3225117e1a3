/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.simulated.pages;

import org.jspecify.annotations.NullMarked;
