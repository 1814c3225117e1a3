/**
 * gRPC between the programs of one node without a wire: each message is handed over in a turn of the machine that
 * receives it. The end of a process ends its calls, as the kernel closes its connections.
 */
@NullMarked
package io.gpushare.histories.grpc;

import org.jspecify.annotations.NullMarked;
