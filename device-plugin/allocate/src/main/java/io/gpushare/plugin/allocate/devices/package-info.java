/**
 * The devices that the node offers to the kubelet, by resource: their lists, the preferred ones, and the size of a list
 * on the wire. Pure: values in, values out; no I/O, no clock, no log.
 */
@NullMarked
package io.gpushare.plugin.allocate.devices;

import org.jspecify.annotations.NullMarked;
