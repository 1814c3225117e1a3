/**
 * Simulated kubelets on real Unix sockets. {@link io.gpushare.simulated.kubelet.SimulatedKubelet} follows the API
 * server and admits pods in the real kubelet's order; with {@link io.gpushare.simulated.kubelet.ScriptedKubelet} the
 * test itself drives the plugins.
 */
@NullMarked
package io.gpushare.simulated.kubelet;

import org.jspecify.annotations.NullMarked;
