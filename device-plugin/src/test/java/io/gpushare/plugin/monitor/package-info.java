/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.plugin.monitor;

import org.jspecify.annotations.NullMarked;
