/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.plugin.state;

import org.jspecify.annotations.NullMarked;
