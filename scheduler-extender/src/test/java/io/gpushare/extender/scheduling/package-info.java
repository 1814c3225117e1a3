/** Tests of this room. */
@NullMarked
package io.gpushare.extender.scheduling;

import org.jspecify.annotations.NullMarked;
