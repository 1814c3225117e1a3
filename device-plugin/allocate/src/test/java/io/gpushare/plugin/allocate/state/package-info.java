/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.plugin.allocate.state;

import org.jspecify.annotations.NullMarked;
