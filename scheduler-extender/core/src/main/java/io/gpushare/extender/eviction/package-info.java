/**
 * Edge to the API server: evicts pods for waiting pods where kube-scheduler's own preemption does not help. What is
 * evicted, and when, is decided in {@code preemption}.
 */
@NullMarked
package io.gpushare.extender.eviction;

import org.jspecify.annotations.NullMarked;
