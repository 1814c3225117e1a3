/**
 * Where the programs get their threads, pauses and times, steps that are repeated, and the end of what was started.
 * What decides by the time receives a clock from the programs' wiring; what waits asks the {@link Machine} that it runs
 * on.
 */
@NullMarked
package io.gpushare.time;

import org.jspecify.annotations.NullMarked;
