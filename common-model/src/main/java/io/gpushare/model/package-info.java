/**
 * The words of the project as values: amounts, cards, inventory, demand, allocation. Pure: nothing here does I/O, reads
 * a clock or logs, and nothing here knows NVML, gRPC, HTTP or the Kubernetes client.
 */
@NullMarked
package io.gpushare.model;

import org.jspecify.annotations.NullMarked;
