/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.kubernetes.wire;

import org.jspecify.annotations.NullMarked;
