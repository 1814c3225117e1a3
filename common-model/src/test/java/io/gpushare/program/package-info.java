/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.program;

import org.jspecify.annotations.NullMarked;
