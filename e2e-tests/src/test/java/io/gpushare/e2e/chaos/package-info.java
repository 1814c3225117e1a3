/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.e2e.chaos;

import org.jspecify.annotations.NullMarked;
