/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.options;

import org.jspecify.annotations.NullMarked;
