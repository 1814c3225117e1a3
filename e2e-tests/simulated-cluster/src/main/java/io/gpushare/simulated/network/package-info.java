/** A simulated network between programs: TCP connections that stay with one backend, and partitions. */
@NullMarked
package io.gpushare.simulated.network;

import org.jspecify.annotations.NullMarked;
