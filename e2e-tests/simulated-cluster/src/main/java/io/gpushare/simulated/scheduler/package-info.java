/**
 * A simulated kube-scheduler with one extender: scheduling queue, node cache, and the verbs over HTTP. It shares no
 * code with the extender.
 */
@NullMarked
package io.gpushare.simulated.scheduler;

import org.jspecify.annotations.NullMarked;
