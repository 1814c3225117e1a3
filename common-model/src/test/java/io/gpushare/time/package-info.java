/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.time;

import org.jspecify.annotations.NullMarked;
