/** Tests of this room. */
@NullMarked
package io.gpushare.extender.http;

import org.jspecify.annotations.NullMarked;
