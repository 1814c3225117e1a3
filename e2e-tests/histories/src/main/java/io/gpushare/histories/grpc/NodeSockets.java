package io.gpushare.histories.grpc;

import io.gpushare.histories.machine.SimulatedMachine;
import io.gpushare.histories.machine.Turns;
import io.gpushare.plugin.node.sockets.Sockets;
import io.gpushare.simulated.kubelet.devices.KubeletSockets;
import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The sockets of one node: a file for each, and the server that listens there. */
public final class NodeSockets {
    private final Turns turns;
    /** In the order in which they listen: that of their paths depends on the folder of the history. */
    private final Map<Path, DirectServer> servers = new LinkedHashMap<>();
    /** Until when calls fail. */
    private final Map<Path, Duration> failing = new HashMap<>();

    private int listened;

    public NodeSockets(Turns turns) {
        this.turns = turns;
    }

    Turns turns() {
        return turns;
    }

    void listen(Path socket, DirectServer server) throws IOException {
        Files.createDirectories(socket.toAbsolutePath().getParent());
        Files.deleteIfExists(socket);
        // Programs tell by it whether a socket was made again, and times of the file system are real ones.
        Files.setLastModifiedTime(
                Files.createFile(socket), FileTime.from(turns.now().plusNanos(listened++)));
        servers.put(socket.toAbsolutePath(), server);
    }

    void close(Path socket, DirectServer server) {
        servers.remove(socket.toAbsolutePath(), server);
    }

    /** Calls to that socket are refused or get no answer for that time. */
    public void failFor(Path socket, Duration time) {
        failing.put(socket.toAbsolutePath(), turns.time().plus(time));
    }

    boolean fails(Path socket) {
        Duration until = failing.get(socket.toAbsolutePath());
        return until != null && turns.time().compareTo(until) < 0;
    }

    /** Who listens there; empty without a file, or where its process is gone. */
    Optional<DirectServer> at(Path socket) {
        DirectServer server = servers.get(socket.toAbsolutePath());
        return server == null || server.isShutdown() || !Files.exists(socket) ? Optional.empty() : Optional.of(server);
    }

    /** The machine of a process has died: its connections close. */
    public void died(SimulatedMachine machine) {
        for (DirectServer server : servers.values()) {
            server.died(machine);
        }
        servers.values().removeIf(server -> server.machine() == machine);
    }

    /** The sockets of the plugin on that machine. */
    public Sockets plugin(SimulatedMachine machine) {
        return new Sockets() {
            @Override
            public ServerBuilder<?> server(Path socket) {
                return new DirectServer.Builder(NodeSockets.this, machine, socket);
            }

            @Override
            public ManagedChannel channel(Path socket, int largestResponse) {
                return new DirectChannel(NodeSockets.this, machine, socket);
            }

            @Override
            public void close() {
                // Nothing is kept open.
            }
        };
    }

    /** The sockets of the kubelet on that machine. */
    public KubeletSockets kubelet(SimulatedMachine machine) {
        return new KubeletSockets() {
            @Override
            public Server serve(Path socket, BindableService service) throws IOException {
                return new DirectServer.Builder(NodeSockets.this, machine, socket)
                        .addService(service)
                        .build()
                        .start();
            }

            @Override
            public ManagedChannel connect(Path socket) {
                return new DirectChannel(NodeSockets.this, machine, socket);
            }

            @Override
            public boolean socket(Path file) {
                return servers.containsKey(file.toAbsolutePath())
                        || file.toString().endsWith(".sock");
            }

            @Override
            public void close() {
                // Nothing is kept open.
            }
        };
    }
}
