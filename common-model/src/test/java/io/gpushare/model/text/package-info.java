/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.model.text;

import org.jspecify.annotations.NullMarked;
