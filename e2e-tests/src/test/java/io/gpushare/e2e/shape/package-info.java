/** Checks the shape of the main code of all modules: no cycles between packages, and small packages. */
@NullMarked
package io.gpushare.e2e.shape;

import org.jspecify.annotations.NullMarked;
