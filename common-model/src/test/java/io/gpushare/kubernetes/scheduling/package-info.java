/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.kubernetes.scheduling;

import org.jspecify.annotations.NullMarked;
