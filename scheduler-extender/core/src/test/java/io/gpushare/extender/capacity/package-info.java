/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.extender.capacity;

import org.jspecify.annotations.NullMarked;
