/**
 * The vocabulary of the project as values: the demand and the allocation of a pod, and their holders.
 * Pure: this package does no I/O, reads no clock, does not log, and uses neither NVML, gRPC, HTTP nor the Kubernetes
 * client.
 */
@NullMarked
package io.gpushare.model;

import org.jspecify.annotations.NullMarked;
