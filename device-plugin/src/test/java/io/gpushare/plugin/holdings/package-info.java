/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.plugin.holdings;

import org.jspecify.annotations.NullMarked;
