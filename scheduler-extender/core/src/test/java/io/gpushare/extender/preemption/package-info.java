/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.extender.preemption;

import org.jspecify.annotations.NullMarked;
