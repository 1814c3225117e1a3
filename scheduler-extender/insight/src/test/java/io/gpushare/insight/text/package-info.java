/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.insight.text;

import org.jspecify.annotations.NullMarked;
