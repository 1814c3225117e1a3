/**
 * The kubelet's side of the device plugin protocol: sockets, registration, one connection for each plugin, and the device
 * manager. The package knows pods only as documents and no API server.
 */
@NullMarked
package io.gpushare.simulated.kubelet.devices;

import org.jspecify.annotations.NullMarked;
