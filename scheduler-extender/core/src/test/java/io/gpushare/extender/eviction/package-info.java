/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.extender.eviction;

import org.jspecify.annotations.NullMarked;
