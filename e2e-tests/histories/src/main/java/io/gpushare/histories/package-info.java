/** Whole histories of a cluster, each from a seed, and what must hold in each. */
@NullMarked
package io.gpushare.histories;

import org.jspecify.annotations.NullMarked;
