/**
 * What the kubelet and the extender get of this plugin, from the first offer to its planned end. It decides when; what
 * is in the snapshot is decided by others.
 */
@NullMarked
package io.gpushare.plugin.node.offer;

import org.jspecify.annotations.NullMarked;
