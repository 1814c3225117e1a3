/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.extender.outcome;

import org.jspecify.annotations.NullMarked;
