/**
 * A small API client for the simulated kubelet, the simulated scheduler and the tests. It is independent of the client
 * of the programs.
 */
@NullMarked
package io.gpushare.simulated.client;

import org.jspecify.annotations.NullMarked;
