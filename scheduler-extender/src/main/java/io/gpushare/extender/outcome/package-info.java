/**
 * What became of earlier choices: filter named a node and no bind came, the kubelet rejected the pod, or the pod ended.
 * Values in memory only, bounded; no HTTP, no Kubernetes client, and time is passed in.
 */
@NullMarked
package io.gpushare.extender.outcome;

import org.jspecify.annotations.NullMarked;
