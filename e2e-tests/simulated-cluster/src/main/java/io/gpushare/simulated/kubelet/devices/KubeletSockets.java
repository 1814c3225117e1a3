package io.gpushare.simulated.kubelet.devices;

import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import java.io.IOException;
import java.nio.file.Path;

/** gRPC between a kubelet and the plugins of its node. */
public interface KubeletSockets extends AutoCloseable {
    /** Starts a server on a new socket and creates its folder if missing. */
    Server serve(Path socket, BindableService service) throws IOException;

    ManagedChannel connect(Path socket);

    /** Whether that file is a socket. */
    boolean socket(Path file) throws IOException;

    @Override
    void close();
}
