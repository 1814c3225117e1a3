/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.extender.feasibility;

import org.jspecify.annotations.NullMarked;
