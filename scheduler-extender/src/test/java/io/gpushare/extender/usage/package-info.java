/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.extender.usage;

import org.jspecify.annotations.NullMarked;
