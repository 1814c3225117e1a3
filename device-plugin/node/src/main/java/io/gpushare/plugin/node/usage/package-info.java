/**
 * The measured usage of cards and containers, and which containers exceed their share. Pure: values in, values out; no
 * I/O, no clock, no log.
 */
@NullMarked
package io.gpushare.plugin.node.usage;

import org.jspecify.annotations.NullMarked;
