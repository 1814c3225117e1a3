/**
 * A small scheduling loop that speaks the extender protocol with kube-scheduler's own bytes and rules (filter,
 * prioritize, bind; nodeCacheCapable). It fits pods to nodes by allocatable and requests and knows nothing of cards;
 * preemption, affinity and scoring plugins are not its matter.
 */
@NullMarked
package io.gpushare.e2e.sandbox.scheduler;

import org.jspecify.annotations.NullMarked;
