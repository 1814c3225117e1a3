/**
 * Decides: which devices are offered, who is asking, which card it gets and what its container is given. Pure: values in,
 * values out; no gRPC, NVML or Kubernetes client, no clock, no log. The same picture and the same question have the same
 * answer.
 */
@NullMarked
package io.gpushare.plugin.allocation;

import org.jspecify.annotations.NullMarked;
