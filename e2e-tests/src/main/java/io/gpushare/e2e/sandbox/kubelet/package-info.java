/**
 * A simulated kubelet: its two gRPC services on real Unix sockets, its device manager with the rules and texts of
 * Kubernetes 1.36, its pods without containers. It treats a device plugin as the real one does and knows nothing of
 * what devices mean; it may not import anything of the plugin's.
 */
@NullMarked
package io.gpushare.e2e.sandbox.kubelet;

import org.jspecify.annotations.NullMarked;
