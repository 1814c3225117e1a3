/**
 * What containers really use of the cards: the driver's processes, found again in their cgroups, beside what was given. Pure:
 * values in, values out; no NVML, no files, no clock, no log.
 */
@NullMarked
package io.gpushare.plugin.use;

import org.jspecify.annotations.NullMarked;
