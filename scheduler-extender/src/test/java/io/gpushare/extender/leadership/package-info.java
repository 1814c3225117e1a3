/** Extenders in an election. */
@NullMarked
package io.gpushare.extender.leadership;

import org.jspecify.annotations.NullMarked;
