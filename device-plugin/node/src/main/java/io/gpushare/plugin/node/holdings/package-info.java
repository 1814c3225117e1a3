/**
 * Pure, but for the latest value: who has what of which card on this node, whichever protocol gave it. The sources of
 * holdings are parts that this package does not know.
 */
@NullMarked
package io.gpushare.plugin.node.holdings;

import org.jspecify.annotations.NullMarked;
