/**
 * Placement: which node and which cards a pod gets, by the policies, on the free capacity that the ledger counts. It
 * depends on the ledger and the policies, and neither on it. And what became of earlier choices: filter named a node
 * and no bind came, the kubelet rejected the pod, or the pod ended.
 */
@NullMarked
package io.gpushare.extender.placement;

import org.jspecify.annotations.NullMarked;
