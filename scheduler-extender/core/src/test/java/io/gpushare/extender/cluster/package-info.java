/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.extender.cluster;

import org.jspecify.annotations.NullMarked;
