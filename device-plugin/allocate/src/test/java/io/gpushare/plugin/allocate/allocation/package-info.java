/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.plugin.allocate.allocation;

import org.jspecify.annotations.NullMarked;
