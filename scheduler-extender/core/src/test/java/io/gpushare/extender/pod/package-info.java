/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.extender.pod;

import org.jspecify.annotations.NullMarked;
