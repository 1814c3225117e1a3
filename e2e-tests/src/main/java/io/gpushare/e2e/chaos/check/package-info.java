/**
 * Verification of the chaos run: snapshots of the cluster from the API server, pod-resources, the processes and the
 * logs, and the invariants over them. The package injects no fault.
 */
@NullMarked
package io.gpushare.e2e.chaos.check;

import org.jspecify.annotations.NullMarked;
