/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.plugin.allocation;

import org.jspecify.annotations.NullMarked;
