/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.extender.view.routes;

import org.jspecify.annotations.NullMarked;
