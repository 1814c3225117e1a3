/**
 * The scheduler's verbs and the one object that they share, the ledger, on values only. No HTTP and no Kubernetes client
 * here: the API server is the narrow {@link io.gpushare.extender.scheduling.PodApi}, and time comes in with each call. No
 * step on the ledger holds a lock over a call.
 */
@NullMarked
package io.gpushare.extender.scheduling;

import org.jspecify.annotations.NullMarked;
