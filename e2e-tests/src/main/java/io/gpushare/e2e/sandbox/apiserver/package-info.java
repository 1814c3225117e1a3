/**
 * A simulated Kubernetes API server, in memory: the real wire for pods, nodes, events and leases, as far as the
 * project's programs, a kubelet and a scheduler use it, with faults that a test can order. It knows nothing of GPU
 * cards and may not: what it answers must hold for any client.
 */
@NullMarked
package io.gpushare.e2e.sandbox.apiserver;

import org.jspecify.annotations.NullMarked;
