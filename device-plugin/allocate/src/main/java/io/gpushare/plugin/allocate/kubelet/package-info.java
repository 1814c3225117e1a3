/**
 * The edge to the kubelet: a device plugin server for each resource, its registration, which survives restarts on
 * either side, the client of pod-resources, and the reader of the kubelet's checkpoint. It implements the protocols
 * only; {@link io.gpushare.plugin.kubelet.CallHandler} decides.
 */
@NullMarked
package io.gpushare.plugin.allocate.kubelet;

import org.jspecify.annotations.NullMarked;
