/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.plugin.pod;

import org.jspecify.annotations.NullMarked;
