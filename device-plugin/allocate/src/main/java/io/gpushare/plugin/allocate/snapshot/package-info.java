/**
 * Everything that is known of the node at one moment, as immutable values: the pods of the API, the list of
 * pod-resources, the answered calls, the kubelet's record of them, and the allocations that follow from all that. Pure:
 * no I/O, no clock, no log.
 */
@NullMarked
package io.gpushare.plugin.allocate.snapshot;

import org.jspecify.annotations.NullMarked;
