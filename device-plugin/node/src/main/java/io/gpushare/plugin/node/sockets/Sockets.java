package io.gpushare.plugin.node.sockets;

import io.grpc.ManagedChannel;
import io.grpc.ServerBuilder;
import java.nio.file.Path;

/** gRPC between the programs of a node. */
public interface Sockets extends AutoCloseable {
    /** A server on that socket. */
    ServerBuilder<?> server(Path socket);

    /** A channel to that socket. */
    ManagedChannel channel(Path socket, int largestResponse);

    @Override
    void close();
}
