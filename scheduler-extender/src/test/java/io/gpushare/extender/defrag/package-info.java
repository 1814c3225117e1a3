/** Tests of the searches for moves. */
@NullMarked
package io.gpushare.extender.defrag;

import org.jspecify.annotations.NullMarked;
