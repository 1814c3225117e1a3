/**
 * Decides which container calls, which cards it gets, and which settings its container receives. Pure: values in,
 * values out; no gRPC, NVML or Kubernetes client, no clock, no log.
 */
@NullMarked
package io.gpushare.plugin.node.container;

import org.jspecify.annotations.NullMarked;
