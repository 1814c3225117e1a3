/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.plugin.usage;

import org.jspecify.annotations.NullMarked;
