/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.extender.protocol;

import org.jspecify.annotations.NullMarked;
