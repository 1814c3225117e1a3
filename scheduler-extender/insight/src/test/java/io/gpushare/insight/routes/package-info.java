/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.insight.routes;

import org.jspecify.annotations.NullMarked;
