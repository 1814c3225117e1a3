/**
 * The Kubernetes API as both programs use it: the connection, and the reads, watches and writes of pods, nodes, Events
 * and Leases. Only this package and {@code wire} use the client library; what they hand out are values.
 */
@NullMarked
package io.gpushare.kubernetes;

import org.jspecify.annotations.NullMarked;
