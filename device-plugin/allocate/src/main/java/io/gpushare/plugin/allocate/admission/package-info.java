/**
 * Handles the kubelet's calls on the latest snapshot of the node: refreshes it where needed, leaves the decision to the
 * allocation package, and records the response in the snapshot.
 */
@NullMarked
package io.gpushare.plugin.allocate.admission;

import org.jspecify.annotations.NullMarked;
