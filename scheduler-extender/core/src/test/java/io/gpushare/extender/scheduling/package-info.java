/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.extender.scheduling;

import org.jspecify.annotations.NullMarked;
