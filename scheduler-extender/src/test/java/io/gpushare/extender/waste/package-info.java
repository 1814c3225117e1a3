/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.extender.waste;

import org.jspecify.annotations.NullMarked;
