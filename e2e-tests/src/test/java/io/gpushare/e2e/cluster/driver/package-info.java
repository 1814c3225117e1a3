/**
 * Scenarios of a node whose driver is replaced: by NVIDIA's GPU Operator, which pauses the programs of the node first,
 * and under running programs.
 */
@NullMarked
package io.gpushare.e2e.cluster.driver;

import org.jspecify.annotations.NullMarked;
