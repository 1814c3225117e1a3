/** Tests of this room. */
@NullMarked
package io.gpushare.extender.cluster;

import org.jspecify.annotations.NullMarked;
