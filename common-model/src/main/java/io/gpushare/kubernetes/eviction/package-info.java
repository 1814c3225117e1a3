/** What decides about evictions: pods and PodDisruptionBudgets, read from the API, and patches of their status. No calls. */
@NullMarked
package io.gpushare.kubernetes.eviction;

import org.jspecify.annotations.NullMarked;
