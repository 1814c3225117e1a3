/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.simulated.apiserver;

import org.jspecify.annotations.NullMarked;
