/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.extender.view;

import org.jspecify.annotations.NullMarked;
