/**
 * The sandbox: the real device plugin and the real extender as processes on loopback, against a simulated API server,
 * kubelets and scheduler, with simulated cards. The package drives and checks the programs from outside and may not use
 * their classes.
 */
@NullMarked
package io.gpushare.e2e.sandbox;

import org.jspecify.annotations.NullMarked;
