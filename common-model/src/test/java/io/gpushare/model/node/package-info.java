/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.model.node;

import org.jspecify.annotations.NullMarked;
