/**
 * The edge to NVML: reads the whole state of the cards every few seconds and tells the inventory when it changed, with
 * the health that Xid errors and lost cards leave. Knows nothing of pods or the kubelet.
 */
@NullMarked
package io.gpushare.plugin.cards;

import org.jspecify.annotations.NullMarked;
