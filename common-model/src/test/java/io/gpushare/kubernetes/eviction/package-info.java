/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.kubernetes.eviction;

import org.jspecify.annotations.NullMarked;
