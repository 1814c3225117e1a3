/**
 * How a simulated kubelet, a simulated scheduler and the tests speak to an API server: plain HTTP and JSON documents,
 * nothing of a client library, so that what goes over the wire is what is written here.
 */
@NullMarked
package io.gpushare.e2e.sandbox.client;

import org.jspecify.annotations.NullMarked;
