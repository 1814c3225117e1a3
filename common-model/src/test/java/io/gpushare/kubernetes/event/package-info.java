/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.kubernetes.event;

import org.jspecify.annotations.NullMarked;
