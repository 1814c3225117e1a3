/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.insight.usage;

import org.jspecify.annotations.NullMarked;
