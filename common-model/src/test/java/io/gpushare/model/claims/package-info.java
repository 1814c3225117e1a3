/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.model.claims;

import org.jspecify.annotations.NullMarked;
