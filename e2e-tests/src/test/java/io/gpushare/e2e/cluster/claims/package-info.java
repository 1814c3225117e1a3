/** Cards by claims of Dynamic Resource Allocation, without the extender. */
@NullMarked
package io.gpushare.e2e.cluster.claims;

import org.jspecify.annotations.NullMarked;
