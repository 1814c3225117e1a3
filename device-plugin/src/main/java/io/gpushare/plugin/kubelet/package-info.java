/**
 * The edge to the kubelet: one device plugin server for each resource, the registration that outlives restarts on either
 * side, and the client of pod-resources. Speaks the protocols and decides nothing: who asks and what it gets is asked of
 * {@link io.gpushare.plugin.kubelet.Doorkeeper}.
 */
@NullMarked
package io.gpushare.plugin.kubelet;

import org.jspecify.annotations.NullMarked;
