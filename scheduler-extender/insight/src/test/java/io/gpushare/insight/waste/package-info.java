/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.insight.waste;

import org.jspecify.annotations.NullMarked;
