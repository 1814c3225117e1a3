/**
 * What became of earlier choices: filter named a node and no bind came, or the kubelet rejected the pod. Values in
 * memory only, bounded; no HTTP, no Kubernetes client, and time is passed in.
 */
@NullMarked
package io.gpushare.extender.outcome;

import org.jspecify.annotations.NullMarked;
