/**
 * The embedded default: the real device plugin and the real extender as processes, on loopback, against a simulated API
 * server, kubelets and scheduler, with simulated cards. It starts, feeds, watches and checks them from outside and may
 * not share a class with them.
 */
@NullMarked
package io.gpushare.e2e.sandbox;

import org.jspecify.annotations.NullMarked;
