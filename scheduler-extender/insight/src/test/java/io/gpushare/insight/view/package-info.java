/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.insight.view;

import org.jspecify.annotations.NullMarked;
