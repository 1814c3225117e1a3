/**
 * Pods as the extender reads them: from the API server, from kube-scheduler's requests, and decoded once into a
 * {@link io.gpushare.extender.pod.PodDemand}. Values only: no ledger, no I/O.
 */
@NullMarked
package io.gpushare.extender.pod;

import org.jspecify.annotations.NullMarked;
