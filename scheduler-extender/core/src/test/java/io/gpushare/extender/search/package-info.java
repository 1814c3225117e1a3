/** Tests of the searches for moves. */
@NullMarked
package io.gpushare.extender.search;

import org.jspecify.annotations.NullMarked;
