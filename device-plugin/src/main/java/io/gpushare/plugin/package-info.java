/**
 * The device plugin: its options, and the wiring of its parts by hand. Only this package sees all edges. Cards,
 * cordons, pods and pod-resources flow into the latest snapshot; device lists and responses for the kubelet derive from
 * it.
 */
@NullMarked
package io.gpushare.plugin;

import org.jspecify.annotations.NullMarked;
