/** Extenders in an election. */
@NullMarked
package io.gpushare.insight.leadership;

import org.jspecify.annotations.NullMarked;
