/** What the running parts of the plugin have in common: a thread that repeats a step, counters by kind, and Events. */
@NullMarked
package io.gpushare.plugin.part;

import org.jspecify.annotations.NullMarked;
