/** Replays pods that end, with kube-scheduler's queue, and reports how long they wait. Pure: time is the trace's. */
@NullMarked
package io.gpushare.simulation.lifetimes;

import org.jspecify.annotations.NullMarked;
