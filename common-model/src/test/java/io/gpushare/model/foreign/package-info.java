/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.model.foreign;

import org.jspecify.annotations.NullMarked;
