/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.plugin.snapshot;

import org.jspecify.annotations.NullMarked;
