/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.model.gpushare;

import org.jspecify.annotations.NullMarked;
