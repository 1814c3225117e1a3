/** What the running parts of the plugin have in common: counters by kind, and delays after failures. */
@NullMarked
package io.gpushare.plugin.part;

import org.jspecify.annotations.NullMarked;
