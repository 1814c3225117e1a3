/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.plugin.offer;

import org.jspecify.annotations.NullMarked;
