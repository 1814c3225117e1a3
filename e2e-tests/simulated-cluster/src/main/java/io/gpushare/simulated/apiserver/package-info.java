/**
 * A Kubernetes API server in memory, over plain HTTP. It serves the objects and subresources that the programs use,
 * with the real server's rules, codes and Status bodies; it records requests and injects faults for tests.
 */
@NullMarked
package io.gpushare.simulated.apiserver;

import org.jspecify.annotations.NullMarked;
