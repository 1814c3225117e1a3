/**
 * The verbs filter, prioritize and bind on the ledger, and the resolution of Bindings with unknown outcome. No HTTP and
 * no Kubernetes client: the API server is the narrow {@link io.gpushare.extender.scheduling.PodApi}, and time is passed
 * in.
 */
@NullMarked
package io.gpushare.extender.scheduling;

import org.jspecify.annotations.NullMarked;
