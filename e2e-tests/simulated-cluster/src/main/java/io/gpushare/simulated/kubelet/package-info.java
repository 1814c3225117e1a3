/**
 * A simulated kubelet: plugin registration, device manager, pod admission in the real kubelet's order, and the
 * pod-resources API, all on real Unix sockets.
 */
@NullMarked
package io.gpushare.simulated.kubelet;

import org.jspecify.annotations.NullMarked;
