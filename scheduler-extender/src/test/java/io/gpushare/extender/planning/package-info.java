/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.extender.planning;

import org.jspecify.annotations.NullMarked;
