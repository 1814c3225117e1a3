/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.model.hami;

import org.jspecify.annotations.NullMarked;
