/** What the running parts of the plugin have in common: counters by kind, and delays after failures. */
@NullMarked
package io.gpushare.plugin.node.part;

import org.jspecify.annotations.NullMarked;
