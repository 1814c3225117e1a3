/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.plugin.allocate.snapshot;

import org.jspecify.annotations.NullMarked;
