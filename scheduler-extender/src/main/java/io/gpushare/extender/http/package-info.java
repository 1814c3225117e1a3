/**
 * The edge to kube-scheduler and to people: the extender protocol, inspect, health and metrics over HTTP. It reads and
 * writes bytes and decides nothing; it knows nothing of the Kubernetes client. Only bind blocks, and never the event loop.
 */
@NullMarked
package io.gpushare.extender.http;

import org.jspecify.annotations.NullMarked;
