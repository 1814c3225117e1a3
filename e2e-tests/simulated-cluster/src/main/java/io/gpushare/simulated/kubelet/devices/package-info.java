/**
 * The kubelet's side of the device plugin protocol: sockets, registration, one connection per plugin, and the device
 * manager. The package reads pods as documents and does not use the API server.
 */
@NullMarked
package io.gpushare.simulated.kubelet.devices;

import org.jspecify.annotations.NullMarked;
