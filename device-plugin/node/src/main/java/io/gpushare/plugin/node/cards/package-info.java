/**
 * The edge to NVML: reads the whole state of the cards every few seconds, derives their health from Xid errors and lost
 * cards, and reports the inventory when it changes. Knows neither pods nor the kubelet.
 */
@NullMarked
package io.gpushare.plugin.node.cards;

import org.jspecify.annotations.NullMarked;
