/** Evictions in the API: the pods and PodDisruptionBudgets that decide about them, and the calls. */
@NullMarked
package io.gpushare.kubernetes.eviction;

import org.jspecify.annotations.NullMarked;
